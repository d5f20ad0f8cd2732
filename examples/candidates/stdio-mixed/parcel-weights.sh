# waits for something that never comes
while :; do
    sleep 1
done

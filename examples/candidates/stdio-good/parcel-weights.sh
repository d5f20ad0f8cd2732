heaviest= most=0 total=0
while read -r name grams; do
    total=$((total + grams))
    if [ "$grams" -gt "$most" ]; then
        most=$grams heaviest=$name
    fi
done
echo "$heaviest $total"

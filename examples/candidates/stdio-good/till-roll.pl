my $pence = 0;
while (<STDIN>) {
    my (undef, $price) = split;
    $pence += int($price * 100 + 0.5);
}
printf "total %.2f\n", $pence / 100;

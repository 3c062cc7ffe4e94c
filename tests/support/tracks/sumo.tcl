$node_(0) set X_ 5.1
$node_(0) set Y_ 98.35
$node_(0) set Z_ 0
$ns_ at 0.0 "$node_(0) setdest 5.1 98.35 0.00"
$ns_ at 1.0 "$node_(0) setdest 7.5 98.35 2.40"
$node_(1) set X_ 200.0
$node_(1) set Y_ 8.0
$node_(1) set Z_ 0
$ns_ at 1.0 "$node_(1) setdest 200.0 8.0 0.00"
$ns_ at 2.0 "$node_(0) setdest 12.5 98.35 5.00"
$ns_ at 2.0 "$node_(1) setdest 200.0 18.0 10.00"
$ns_ at 0.0 "$g(0) start"
$ns_ at 3.0 "$g(0) stop"
$ns_ at 1.0 "$g(1) start"
$ns_ at 2.5 "$g(1) stop"

# The scenes, in the order in which they are performed: long ones first. Each is a function that plays, and then says what has to hold.
# docs/chaos.md lists them.

scenes=(
  link-down-long host-moves host-stopped-long client-stopped-long one-way-long route-errors mtu-black-hole
  link-down cable-out link-flaps loss netem
  host-killed client-killed host-stopped client-stopped relay-killed descriptors
  route-drop route-reject rule-drop rule-reject rule-local
  roaming roaming-ipv6 mtu host-address
)

# Links.

scene_link_down() { # the interface of the clients, 4 s: their writes fail, and its routes are gone
  host_starts
  both_play 12
  down client c0
  sleep 4
  up client c0 10.77.1
  all_go_on "$soon"
  undisturbed
}

scene_link_down_long() { # the same for longer than the time-out
  host_starts
  both_play 22 -rejoin
  down client c0
  sleep 15
  up client c0 10.77.1
  all_go_on "$late"
  told
}

scene_cable_out() { # the far end of the link, 4 s: the clients write into nothing
  host_starts
  both_play 12
  ip link set rc0 down
  sleep 4
  ip link set rc0 up
  all_go_on "$soon"
  undisturbed
}

scene_link_flaps() { # the interface of the host, five times for a second
  host_starts
  both_play 18
  for _ in 1 2 3 4 5; do
    down host h0
    sleep 1
    up host h0 10.77.9
    sleep 1
  done
  all_go_on "$soon"
  undisturbed
}

scene_loss() { # a relay loses 20 % each way, sends 5 % twice and overtakes 5 %
  host_starts
  relay_starts -loss 20 -dup 5 -reorder 5 -delay 10ms
  to=(-connect 10.77.1.1:7000)
  both_play 10
  undisturbed
  (($(value secure repairs) > 0)) || fail 'nothing was repaired, so nothing was lost'
}

scene_netem() { # the same by the kernel
  ip netns exec client tc qdisc add dev c0 root netem loss 20% delay 10ms 2>/dev/null || skip 'the kernel, or this system, has no tc netem'
  host_starts
  both_play 10
  undisturbed
}

# Processes.

scene_host_killed() { # and started again after 2 s with its key, at its port
  host_starts
  both_play 24 -rejoin
  kill -KILL "$host"
  sleep 2
  host_starts
  all_go_on "$late"
  told
}

scene_client_killed() { # and started again with its key: the host takes it for the same player at once
  host_starts
  plays first 60 -host-key "$host_key" -key "$dir/client.key"
  kill -KILL "${players[first]}"
  unset 'players[first]'
  plays second 4 -host-key "$host_key" -key "$dir/client.key"
  undisturbed
  await "$soon" more_lines '^client 2 .*closed by the peer' "$dir/host.err" 0 || fail 'the host has not heard that the second one left'
  (($(lines '^client 1 at .*replaced by a newer one' "$dir/host.err") == 1)) || fail 'the host did not replace the first one'
  (($(lines '^client [0-9]* at' "$dir/host.err") == 2)) || fail 'not one end for each client'
  (($(lines '^client [0-9]* connected' "$dir/host.err") == 2)) || fail 'not one begin for each client'
}

# stopped stops processes and lets them go on.
stopped() { # SECONDS PROCESS...
  local seconds=$1
  shift
  kill -STOP "$@"
  sleep "$seconds"
  kill -CONT "$@"
}

scene_host_stopped() { # 5 s, with SIGSTOP and SIGCONT
  host_starts
  both_play 12
  stopped 5 "$host"
  all_go_on "$soon"
  undisturbed
}

scene_host_stopped_long() { # 15 s, which is longer than the time-out
  host_starts
  both_play 22 -rejoin
  stopped 15 "$host"
  all_go_on "$late"
  told
}

scene_client_stopped() { # 5 s
  host_starts
  both_play 12
  stopped 5 "${players[@]}"
  all_go_on "$soon"
  undisturbed
}

scene_client_stopped_long() { # 15 s
  host_starts
  both_play 32 -rejoin
  stopped 15 "${players[@]}"
  all_go_on "$late"
  told
  (($(lines 'timed out\|nothing was heard' "$dir/host.err") > 0)) || fail 'the host did not notice'
}

scene_relay_killed() { # a relay, and another one at its address: to the host the clients come from other ports, as behind a NAT that forgot them
  host_starts
  relay_starts
  to=(-connect 10.77.1.1:7000)
  plays secure 12 -host-key "$host_key"
  kill -KILL "$relay"
  sleep 1
  relay_starts
  all_go_on "$soon"
  undisturbed
}

scene_descriptors() { # 32 for the host, to which 36 clients come, and 32 for a relay, which has no room for them all
  limited=(bash -c 'ulimit -n 32; exec "$@"' -)
  host_starts
  crowd
  ((through == 36)) || fail "$through of 36 clients could play with a host of 32 descriptors"
  relay_starts
  to=(-connect 10.77.1.1:7000)
  crowd
  ((through >= 15 && through < 36)) || fail "a relay with 32 descriptors let $through of 36 clients through"
  kill -TERM "$relay"
  wait "$relay" || fail 'the relay did not live through it'
  details="36 of 36 clients at the host, $through of 36 through the relay"
}

# crowd lets 36 clients play at once for two seconds, and counts those that got through. The others must not have been let in.
crowd() {
  local i
  players=()
  for i in {1..36}; do
    ip netns exec client "$udpecho" client "${to[@]}" -host-key "$host_key" -n 40 -rate 20 -timeout 8s -json >"$dir/$i.json" 2>"$dir/$i.err" &
    players[$i]=$!
  done
  through=0
  for i in {1..36}; do
    await "$late" ended "$i" || fail "client $i hangs"
    if wait "${players[$i]}"; then
      (($(value "$i" delivered) == 40)) || fail "client $i: messages are missing"
      through=$((through + 1))
    else
      grep -q 'connecting to' "$dir/$i.err" || fail "client $i was let in and did not get through"
    fi
  done
}

# Refusals.

# on_the_way has the router do something else with what is for the host.
on_the_way() { # KIND SECONDS
  ip route add "$1" "$host_at/32"
  sleep "$2"
  ip route del "$1" "$host_at/32"
  all_go_on "$soon"
}

scene_route_drop() { # the router drops what is for the host, 5 s
  host_starts
  both_play 14
  on_the_way blackhole 5
  undisturbed
}

scene_route_reject() { # it answers by ICMP: host unreachable, then prohibited, 3 s each
  host_starts
  both_play 20
  on_the_way unreachable 3
  on_the_way prohibit 3
  undisturbed
}

scene_route_errors() { # the clients' own kernel refuses each write: EHOSTUNREACH, EACCES, EINVAL, ENETUNREACH, 3 s each
  host_starts
  both_play 32
  local kind
  for kind in unreachable prohibit blackhole; do
    ip -n client route add "$kind" "$host_at/32"
    sleep 3
    ip -n client route del "$kind" "$host_at/32"
    all_go_on "$soon"
  done
  ip -n client route del default
  sleep 3
  route client c0 10.77.1
  all_go_on "$soon"
  undisturbed
}

# for_a_while has a rule in force.
for_a_while() { # SECONDS NAMESPACE HOOK RULE
  rule "$2" "$3" "$4"
  sleep "$1"
  unrule "$2"
  all_go_on "$soon"
}

scene_rule_drop() { # a firewall on the way drops what goes to the host, then what comes from it, 4 s each
  host_starts
  both_play 20
  for_a_while 4 '' forward "udp dport $port drop"
  for_a_while 4 '' forward "udp sport $port drop"
  undisturbed
}

scene_one_way_long() { # a firewall drops what comes from the host, for 15 s: the host hears the clients, and they do not hear it
  host_starts
  both_play 26 -rejoin
  for_a_while 15 '' forward "udp sport $port drop"
  all_go_on "$late"
  told
}

scene_rule_reject() { # it refuses by ICMP in three ways, 3 s each
  host_starts
  both_play 24
  local with
  for with in port-unreachable host-unreachable admin-prohibited; do
    for_a_while 3 '' forward "udp dport $port reject with icmp type $with"
  done
  undisturbed
}

scene_rule_local() { # that of the clients' machine, and then of the host's, lets no write through (EPERM), 4 s each
  host_starts
  both_play 20
  for_a_while 4 client output "udp dport $port drop"
  for_a_while 4 host output "udp sport $port drop"
  undisturbed
}

# Addresses.

scene_roaming() { # the client has two links: traffic moves to the other one, the first address is taken away, and all the way back
  host_starts
  roams 10.77.1.2/24
}

scene_roaming_ipv6() { # the same with the addresses of IPv6
  host_starts
  to=(-connect "[fd77:9::2]:$port")
  roams fd77:1::2/64
}

# roams plays it with one of the addresses that the client has on its first link.
roams() { # ADDRESS/BITS
  plays secure 20 -host-key "$host_key"
  route client c1 10.77.2
  all_go_on "$soon"
  ip -n client addr del "$1" dev c0
  all_go_on "$soon"
  ip -n client addr add "$1" dev c0 nodad
  down client c1
  route client c0 10.77.1
  all_go_on "$soon"
  undisturbed
}

scene_mtu() { # datagrams are of full size, and first the link of the host takes 1000 bytes a packet, then that of the clients 600
  host_starts
  both_play 24 -size 1100
  ip link set rh0 mtu 1000
  ip -n host link set h0 mtu 1000
  sleep 3
  all_go_on "$soon"
  ip -n client link set c0 mtu 600
  ip link set rc0 mtu 600
  sleep 3
  all_go_on "$soon"
  undisturbed
}

scene_mtu_black_hole() { # the link of the host takes 1000 bytes a packet for 13 s, and nobody hears of it: full datagrams are lost, small ones are not
  host_starts
  rule client input 'meta l4proto icmp drop'
  both_play 28 -size 1100
  ip link set rh0 mtu 1000
  sleep 13
  ip link set rh0 mtu 1500
  all_go_on "$soon"
  undisturbed
}

scene_host_address() { # the address of the host is taken away for 4 s, while it goes on sending
  host_starts
  both_play 14
  ip -n host addr del "$host_at/24" dev h0
  sleep 4
  ip -n host addr add "$host_at/24" dev h0
  route host h0 10.77.9
  all_go_on "$soon"
  undisturbed
}

scene_host_moves() { # the host has another address for good, the second one in its invite code
  host_flags=(-address "$host_at:$port,10.77.9.3:$port")
  host_starts
  to=(-invite "$(sed -n 's/^invite //p' "$dir/host.out")")
  plays secure 26 -rejoin
  ip -n host addr del "$host_at/24" dev h0
  ip -n host addr add 10.77.9.3/24 dev h0
  route host h0 10.77.9
  all_go_on "$late"
  told
}

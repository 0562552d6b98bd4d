# What the scenes are played on. A router, which is the namespace of the script, has two links to the namespace "client" and one to "host":
#
#   client  c0 10.77.1.2 --- 10.77.1.1 rc0  router  rh0 10.77.9.1 --- 10.77.9.2 h0  host
#           c1 10.77.2.2 --- 10.77.2.1 rc1
#
# Each has an address of IPv6 as well: fd77:1::2 where it has 10.77.1.2.
#
# The bounds in seconds below are upper ones, for machines that are busy.

readonly host_at=10.77.9.2 port=7777
readonly hz=30    # messages a second and client
readonly soon=20  # seconds within which traffic goes on once a fault has healed
readonly late=45  # and within which a client has given up a connection, found the host again, and goes on

declare -A players=() # process ids of clients by name
details=''

# build_stage makes namespaces and links, with the shortest ways between them.
build_stage() {
  mount -t tmpfs tmpfs /run
  ip link set lo up
  echo 1 >/proc/sys/net/ipv4/ip_forward
  echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
  local ns
  for ns in client host; do
    ip netns add "$ns"
    ip -n "$ns" link set lo up
  done
  link client c0 10.77.1
  link client c1 10.77.2
  link host h0 10.77.9
  route client c0 10.77.1
  route host h0 10.77.9
}

link() { # NAMESPACE INTERFACE NET
  ip link add "r$2" type veth peer name "$2" netns "$1"
  ip addr add "$3.1/24" dev "r$2"
  ip addr add "$(ipv6 "$3")::1/64" dev "r$2" nodad
  ip -n "$1" addr add "$3.2/24" dev "$2"
  ip -n "$1" addr add "$(ipv6 "$3")::2/64" dev "$2" nodad
  ip link set "r$2" up
  ip -n "$1" link set "$2" up
}

# ipv6 is the net of IPv6 beside one of IPv4: fd77:1 for 10.77.1.
ipv6() { echo "fd${1:3:2}:${1:6}"; } # NET

# route sends everything through an interface.
route() { # NAMESPACE INTERFACE NET
  ip -n "$1" route replace default via "$3.1" dev "$2"
  ip -n "$1" -6 route replace default via "$(ipv6 "$3")::1" dev "$2"
}

down() { ip -n "$1" link set "$2" down; } # NAMESPACE INTERFACE

# up gives back what down has taken: the routes, and the address of IPv6.
up() { # NAMESPACE INTERFACE NET
  ip -n "$1" link set "$2" up
  ip -n "$1" addr replace "$(ipv6 "$3")::2/64" dev "$2" nodad
  route "$@"
}

# strike ends what still runs. The namespace of processes would as well.
strike() { kill -KILL $(jobs -p) 2>/dev/null || true; }

pass() { echo "PASS ${details%; }" >"$dir/verdict"; }

fail() {
  echo "FAIL $*" >"$dir/verdict"
  exit 1
}

skip() {
  echo "SKIP $*" >"$dir/verdict"
  exit
}

# await repeats a command until it succeeds, for so many seconds at most.
await() { # SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS <= end)) || return 1
    sleep 0.1
  done
}

host_flags=()
to=(-connect "$host_at:$port") # how clients find the host
limited=()                     # what is put before the commands of host and relay

# host_starts starts the host, or starts it again with the same key.
host_starts() {
  local before
  before=$(lines '^listening' "$dir/host.out")
  ip netns exec host "${limited[@]}" "$udpecho" host -listen ":$port" -plain any -key "$dir/host.key" "${host_flags[@]}" >>"$dir/host.out" 2>>"$dir/host.err" &
  host=$!
  await "$soon" more_lines '^listening' "$dir/host.out" "$before" || fail 'the host does not start'
  host_key=$(sed -n 's/^key //p' "$dir/host.out" | tail -n 1)
}

# relay_starts starts a relay on the router, or starts it again at the same address.
relay_starts() {
  "${limited[@]}" "$udpecho" proxy -listen 10.77.1.1:7000 -to "$host_at:$port" "$@" >>"$dir/relay.out" 2>>"$dir/relay.err" &
  relay=$!
}

lines() { if [[ -f $2 ]]; then grep -c -- "$1" "$2" || true; else echo 0; fi; } # PATTERN FILE

more_lines() { (($(lines "$1" "$2") > $3)); } # PATTERN FILE NUMBER

# plays starts a client that sends for so many seconds, and waits until echoes come.
plays() { # NAME SECONDS FLAGS...
  local name=$1 messages=$(($2 * hz))
  shift 2
  ip netns exec client "$udpecho" client "${to[@]}" -rate "$hz" -n "$messages" -timeout 40s -every 200ms -json "$@" \
    >"$dir/$name.json" 2>"$dir/$name.err" &
  players[$name]=$!
  await "$soon" more_echoes "$name" 5 || fail "$name: no echoes before the fault"
}

# both_play starts a client of each protocol.
both_play() { # SECONDS FLAGS...
  local seconds=$1
  shift
  plays secure "$seconds" -host-key "$host_key" "$@"
  plays base "$seconds" -base "$@"
}

echoes() { sed -n 's/.* echoed \([0-9]*\),.*/\1/p' "$dir/$1.err" | tail -n 1 | grep . || echo 0; } # NAME

more_echoes() { (($(echoes "$1") > $2)); } # NAME NUMBER

# all_go_on requires that echoes come to all clients again, within so many seconds.
all_go_on() { # SECONDS
  local name seen
  for name in "${!players[@]}"; do
    seen=$(echoes "$name")
    await "$1" goes_on "$name" $((seen + hz / 2)) || fail "$name: no echoes within $1 s"
  done
}

goes_on() { more_echoes "$@" || ended "$1"; } # NAME NUMBER

ended() { ! kill -0 "${players[$1]}" 2>/dev/null; } # NAME

value() { sed -n "s/^  \"$2\": \([^,]*\),\{0,1\}\$/\1/p" "$dir/$1.json"; } # NAME KEY

# finish waits until a client has sent all it wants, and requires that no message is missing without a word, or there twice.
finish() { # NAME SECONDS
  local name=$1 status=0
  await "$2" ended "$name" || fail "$name: not ready within $2 s"
  wait "${players[$name]}" || status=$?
  ((status == 0)) || fail "$name: ended with status $status"
  (($(value "$name" sent) == $(value "$name" asked))) || fail "$name: sent $(value "$name" sent) of $(value "$name" asked)"
  (($(value "$name" delivered) + $(value "$name" told) == $(value "$name" sent))) || fail "$name: messages are missing"
  (($(value "$name" duplicates) == 0 && $(value "$name" out_of_order) == 0)) || fail "$name: messages came twice or out of order"
  details+="$name: $(value "$name" delivered) echoed, $(value "$name" told) told of, $(value "$name" sessions) connections, longest silence $(value "$name" silence_ms) ms; "
}

# undisturbed requires that all clients got through on one connection.
undisturbed() {
  local name
  for name in "${!players[@]}"; do
    finish "$name" 60
    (($(value "$name" sessions) == 1)) || fail "$name: its connection broke"
    (($(value "$name" delivered) == $(value "$name" sent))) || fail "$name: not every message was echoed"
  done
}

# told requires that all clients lost their connection, were told so, found the host again, and got echoes from it.
told() {
  local name before
  for name in "${!players[@]}"; do
    finish "$name" 60
    (($(value "$name" sessions) > 1)) || fail "$name: its connection was to end"
    before=$(sed -n 's/.* echoed \([0-9]*\),.* connections [1-9].*/\1/p' "$dir/$name.err" | head -n 1)
    (($(value "$name" delivered) > before)) || fail "$name: no echoes after it was told"
  done
}

# needs skips the scene if a program is missing.
needs() { command -v "$1" >/dev/null || skip "$1 is not installed"; } # PROGRAM

# rule adds a rule of a firewall to a namespace, "" being the router; unrule takes all of it back.
rule() { # NAMESPACE HOOK RULE
  needs nft
  inside "$1" nft "add table inet chaos; add chain inet chaos c { type filter hook $2 priority 0; }; add rule inet chaos c $3" 2>"$dir/nft" ||
    skip "the kernel does not take this rule of nft: $(head -n 1 "$dir/nft")"
}

unrule() { inside "$1" nft delete table inet chaos; } # NAMESPACE

inside() { # NAMESPACE COMMAND...
  local ns=$1
  shift
  if [[ -n $ns ]]; then ip netns exec "$ns" "$@"; else "$@"; fi
}

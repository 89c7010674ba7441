#!/bin/sh
# The first process of the node: gives it mounts and a network of its own, says so, and waits to be killed.
# Everything here ends with the namespaces; on the machine itself nothing is changed.
set -e
cd "$1"
hostname "$NODE_NAME"

mkdir -p var var-work etc etc-work
mount -t overlay overlay -o "lowerdir=/var,upperdir=$1/var,workdir=$1/var-work" /var
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/etc,workdir=$1/etc-work" /etc
mount -t tmpfs tmpfs /run -o mode=755
: > /etc/resolv.conf
printf '127.0.0.1 localhost\n%s %s\n' "$NODE_ADDRESS" "$NODE_NAME" > /etc/hosts

# The kubelet sets some sysctls of the whole kernel. It is shown files that already have its values, so it writes nothing.
mkdir /run/sysctl
pretend() {
  echo "$2" > "/run/sysctl/$(basename "$1")"
  mount --bind "/run/sysctl/$(basename "$1")" "/proc/sys/$1"
}
pretend vm/overcommit_memory 1
pretend vm/panic_on_oom 0
pretend kernel/panic 10
pretend kernel/panic_on_oops 1
pretend kernel/keys/root_maxkeys 1000000
pretend kernel/keys/root_maxbytes 25000000
mount --make-rshared /

# Pods find the API server under the first address of the service range: it is an address of the node.
ip link set lo up
ip link add node0 type bridge
ip addr add "$NODE_ADDRESS/24" dev node0
ip addr add "$SERVICE_ADDRESS/32" dev node0
ip link set node0 up
ip route add default dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward

: > ready
while :; do sleep 5; done

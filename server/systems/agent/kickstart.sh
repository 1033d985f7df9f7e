#!/bin/sh
# Enrols this machine and installs its agent. Needs only curl and openssl.
#   GATEHOUSE_URL    address of the service, instead of the one below
#   GATEHOUSE_ROOT   root directory, instead of /; if set, no service is started
set -eu
umask 077
export LC_ALL=C
SERVER=${GATEHOUSE_URL:-@SERVER@}
CONNECT_KEY=@CONNECT_KEY@
ROOT=${GATEHOUSE_ROOT:-}
DIR=$ROOT/opt/gatehouse

say() { printf '%s\n' "gatehouse: $1"; }
fail() {
  say "$1" >&2
  exit 1
}

for program in curl openssl; do
  command -v "$program" >/dev/null 2>&1 || fail "$program is required"
done
if [ -z "$ROOT" ] && [ "$(id -u)" != 0 ]; then fail 'run this as root'; fi

mkdir -p "$DIR"
chmod 0700 "$DIR"

# Commands from the service must be signed with this key.
cat >"$DIR/server.pub" <<'END_OF_SERVER_KEY'
@SERVER_KEY@END_OF_SERVER_KEY

cat >"$DIR/agent.sh" <<'END_OF_AGENT'
@AGENT@END_OF_AGENT
chmod 0700 "$DIR/agent.sh"

# The private key is generated here and never leaves this machine.
if [ ! -s "$DIR/client.key" ]; then
  openssl genrsa -out "$DIR/client.key.new" 2048 2>/dev/null
  chmod 0600 "$DIR/client.key.new"
  mv "$DIR/client.key.new" "$DIR/client.key"
fi

if grep -q '"systemKey":"' "$DIR/agent.conf" 2>/dev/null; then
  say 'this machine is already enrolled; the agent was updated'
else
  printf '{"server":"%s"}\n' "$SERVER" >"$DIR/agent.conf"
  public_key=$(openssl rsa -in "$DIR/client.key" -pubout -outform DER 2>/dev/null | openssl enc -e -a | tr -d '\n')
  facts=$("$DIR/agent.sh" facts)
  printf '%s,"publicKey":"%s"}' "${facts%\}}" "$public_key" >"$DIR/registration"
  status=$(curl -sS -m 60 -o "$DIR/answer" -w '%{http_code}' -X POST -H "x-connect-key: $CONNECT_KEY" \
    -H 'Content-Type: application/json' --data-binary "@$DIR/registration" "$SERVER/agent/v1/register") ||
    fail "cannot reach $SERVER"
  answer=$(cat "$DIR/answer")
  rm -f "$DIR/registration" "$DIR/answer"
  [ "$status" = 201 ] || fail "the registration was refused ($status): $answer"
  system_key=$(printf '%s' "$answer" | sed -n 's/.*"systemKey":"\([0-9a-f]*\)".*/\1/p')
  [ -n "$system_key" ] || fail 'the registration response contains no system key'
  printf '{"server":"%s","systemKey":"%s"}\n' "$SERVER" "$system_key" >"$DIR/agent.conf.new"
  mv "$DIR/agent.conf.new" "$DIR/agent.conf"
  say "enrolled as system $system_key"
fi

if [ -n "$ROOT" ] || [ -d /run/systemd/system ]; then
  mkdir -p "$ROOT/etc/systemd/system"
  cat >"$ROOT/etc/systemd/system/gatehouse-agent.service" <<END_OF_UNIT
[Unit]
Description=Gatehouse agent
After=network-online.target

[Service]
Type=oneshot
ExecStart=$DIR/agent.sh run
END_OF_UNIT
  cat >"$ROOT/etc/systemd/system/gatehouse-agent.timer" <<'END_OF_UNIT'
[Unit]
Description=Gatehouse agent, every minute

[Timer]
OnBootSec=30
OnUnitInactiveSec=60
RandomizedDelaySec=10

[Install]
WantedBy=timers.target
END_OF_UNIT
  chmod 0644 "$ROOT/etc/systemd/system/gatehouse-agent.service" "$ROOT/etc/systemd/system/gatehouse-agent.timer"
  if [ -z "$ROOT" ]; then
    systemctl daemon-reload
    systemctl enable --now gatehouse-agent.timer
  fi
elif [ -d /etc/cron.d ]; then
  printf '* * * * * root %s/agent.sh run\n' "$DIR" >/etc/cron.d/gatehouse-agent
  chmod 0644 /etc/cron.d/gatehouse-agent
else
  say "found neither systemd nor cron: arrange for '$DIR/agent.sh run' to be called every minute"
fi

#!/bin/sh
# The agent of this system: reports facts about the machine, runs commands, sends events.
#   agent.sh run              runs once; the timer or cron calls it every minute
#   agent.sh facts            prints the facts it would report
#   agent.sh event <type>     sends an event; under pam_exec with PAM_USER, PAM_SERVICE and PAM_RHOST
# Needs curl and openssl. Runs only commands signed with the key in server.pub.
set -u
umask 077
export LC_ALL=C
VERSION=1.0.0
DIR=$(cd "$(dirname "$0")" && pwd)
CONF=$DIR/agent.conf

member() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p' "$CONF" | head -n 1; }

# Escapes text for a JSON string.
json() { printf '%s' "$1" | tr -d '\000-\037\177' | sed 's/\\/\\\\/g; s/"/\\"/g'; }

fail() {
  printf '%s\n' "gatehouse agent: $1" >&2
  exit 1
}

os_release() { sed -n "s/^$1=//p" /etc/os-release 2>/dev/null | head -n 1 | sed 's/^"//; s/"$//'; }

interfaces() {
  command -v ip >/dev/null 2>&1 || return 0
  ip -o addr show 2>/dev/null | awk '
    $3 == "inet" || $3 == "inet6" {
      split($4, address, "/")
      printf "%s{\"name\":\"%s\",\"family\":\"%s\",\"address\":\"%s\",\"internal\":%s}", separator, $2,
        $3 == "inet" ? "IPv4" : "IPv6", address[1], $2 == "lo" ? "true" : "false"
      separator = ","
    }'
}

host_keys() {
  separator=
  for file in /etc/ssh/ssh_host_*_key.pub; do
    [ -r "$file" ] || continue
    printf '%s{"name":"%s","publicKey":"%s"}' "$separator" "$(json "${file##*/}")" "$(json "$(head -n 1 "$file")")"
    separator=,
  done
}

facts() {
  family=$(uname -s | tr 'A-Z' 'a-z')
  name=$(os_release NAME)
  release=$(os_release VERSION_ID)
  serial=$(cat /sys/class/dmi/id/product_serial 2>/dev/null || true)
  vendor=$(cat /sys/class/dmi/id/sys_vendor 2>/dev/null || true)
  printf '{"hostname":"%s","os":"%s","osFamily":"%s","version":"%s","arch":"%s","serialNumber":"%s","hwVendor":"%s",' \
    "$(json "$(uname -n)")" "$(json "${name:-$(uname -s)}")" "$(json "$family")" "$(json "${release:-$(uname -r)}")" \
    "$(json "$(uname -m)")" "$(json "$serial")" "$(json "$vendor")"
  printf '"agentVersion":"%s","networkInterfaces":[%s],"sshKeys":[%s]}\n' "$VERSION" "$(interfaces)" "$(host_keys)"
}

# signed METHOD PATH [FILE]: writes the response to $WORK/answer and its status to standard output.
signed() {
  now=$(date -u '+%a, %d %b %Y %H:%M:%S GMT')
  signature=$(printf '%s %s HTTP/1.1\ndate: %s' "$1" "$2" "$now" |
    openssl dgst -sha256 -sign "$DIR/client.key" | openssl enc -e -a | tr -d '\n')
  set -- "$1" "$2" "${3:-}"
  curl -sS -m 120 -o "$WORK/answer" -w '%{http_code}' -X "$1" \
    -H "Date: $now" \
    -H "Authorization: Signature keyId=\"system/$SYSTEM_KEY\",headers=\"request-line date\",algorithm=\"rsa-sha256\",signature=\"$signature\"" \
    -H 'Content-Type: application/json' ${3:+--data-binary "@$3"} "$SERVER$2"
}

# Two requests in the same second with different bodies must not share a signature.
nonce() { openssl rand -hex 8; }

report() {
  facts >"$WORK/facts"
  status=$(signed POST "/agent/v1/report?n=$(nonce)" "$WORK/facts") || return 1
  [ "$status" = 204 ] || fail "the report was refused ($status): $(cat "$WORK/answer")"
}

field() { sed -n "s/^$1 //p" "$WORK/order" | head -n 1; }

# result ID EXIT_CODE OUTPUT_FILE ERROR
result() {
  code=$2
  [ -n "$code" ] || code=null
  # Truncate long output: the result must arrive no matter how much the command wrote.
  printf '{"exitCode":%s,"output":"%s","error":"%s"}' "$code" \
    "$(dd if="$3" bs=1024 count=512 2>/dev/null | openssl enc -e -a | tr -d '\n')" "$(json "$4")" >"$WORK/result"
  status=$(signed POST "/agent/v1/commands/$1/result?n=$(nonce)" "$WORK/result") || return 1
  # 404: the result is no longer expected.
  case $status in 204 | 404) rm -rf "$DONE/$1.out" "$DONE/$1.end" ;; esac
}

# execute USER SECONDS SCRIPT: runs the script as that user, with a timeout.
execute() {
  me=$(id -un)
  # A leading dash would be parsed as an option below.
  case $1 in
    -*)
      echo "cannot run as $1" >&2
      return 126
      ;;
  esac
  if [ "$1" = "$me" ]; then
    set -- "$2" sh "$3"
  elif [ "$(id -u)" = 0 ] && id "$1" >/dev/null 2>&1; then
    chown "$1" "$3" && chmod 0500 "$3"
    set -- "$2" su -s /bin/sh "$1" -c "exec sh '$3'"
  else
    echo "cannot run as $1" >&2
    return 126
  fi
  seconds=$1
  shift
  if command -v timeout >/dev/null 2>&1; then
    timeout -k 5 "$seconds" "$@"
  else
    "$@" &
    child=$!
    (sleep "$seconds" && kill "$child" 2>/dev/null) &
    watch=$!
    wait "$child"
    ended=$?
    kill "$watch" 2>/dev/null
    return $ended
  fi
}

perform() {
  id=$(field id)
  case $id in *[!0-9a-f]* | '') return ;; esac
  if [ -e "$DONE/$id" ]; then
    # Already started: either the result did not arrive or the machine stopped halfway. Never run it twice.
    [ -e "$DONE/$id.end" ] || { : >"$DONE/$id.out"; echo ' interrupted' >"$DONE/$id.end"; }
    result "$id" "$(cut -d ' ' -f 1 "$DONE/$id.end")" "$DONE/$id.out" "$(cut -d ' ' -f 2- "$DONE/$id.end")"
    return
  fi
  [ "$(field system)" = "$SYSTEM_KEY" ] || return
  [ "$(field expires)" -gt "$(date +%s)" ] || return
  : >"$DONE/$id"
  # An otherwise empty directory that the command's user can enter.
  place=$(mktemp -d "${TMPDIR:-/tmp}/gatehouse.XXXXXX") && chmod 0711 "$place"
  field command | openssl enc -d -a -A >"$place/script"
  GATEHOUSE_PAYLOAD=$(field payload | openssl enc -d -a -A)
  export GATEHOUSE_PAYLOAD
  seconds=$(field timeout)
  error=
  (cd / && execute "$(field user)" "$seconds" "$place/script") >"$DONE/$id.out" 2>&1 </dev/null
  code=$?
  [ "$code" = 124 ] && error="stopped after $seconds seconds"
  printf '%s %s\n' "$code" "$error" >"$DONE/$id.end"
  rm -rf "$place"
  result "$id" "$code" "$DONE/$id.out" "$error"
}

# Each line is an order and its signature, both in Base64.
commands() {
  status=$(signed GET /agent/v1/commands) || return 1
  [ "$status" = 200 ] || fail "cannot fetch commands ($status): $(cat "$WORK/answer")"
  mv "$WORK/answer" "$WORK/orders"
  while read -r order signature; do
    printf '%s' "$order" | openssl enc -d -a -A >"$WORK/order"
    printf '%s' "$signature" | openssl enc -d -a -A >"$WORK/signature"
    if openssl dgst -sha256 -verify "$DIR/server.pub" -signature "$WORK/signature" "$WORK/order" >/dev/null 2>&1; then
      perform
    else
      echo 'gatehouse agent: an order without a valid signature was not run' >&2
    fi
  done <"$WORK/orders"
  find "$DONE" -type f -mtime +30 -exec rm -f {} +
}

event() {
  success=true
  [ "$1" = user_login_failure ] && success=false
  {
    printf '{"event_type":"%s","success":%s,"system_timestamp":"%s"' "$(json "$1")" "$success" "$(date '+%Y-%m-%dT%H:%M:%S%z')"
    [ -z "${PAM_USER:-}" ] || printf ',"username":"%s"' "$(json "$PAM_USER")"
    [ -z "${PAM_SERVICE:-}" ] || printf ',"process_name":"%s"' "$(json "$PAM_SERVICE")"
    [ -z "${PAM_RHOST:-}" ] || printf ',"src_ip":"%s"' "$(json "$PAM_RHOST")"
    [ -z "${2:-}" ] || printf ',"message":"%s"' "$(json "$2")"
    printf '}'
  } >"$WORK/event"
  status=$(signed POST "/agent/v1/events?n=$(nonce)" "$WORK/event") || return 1
  [ "$status" = 204 ] || fail "the event was refused ($status): $(cat "$WORK/answer")"
}

# One run at a time, or a command might start twice. The lock records the boot id with the pid, since pids are reused.
boot() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo unknown; }
lock() {
  if ! mkdir "$DIR/running" 2>/dev/null; then
    holder=$(cat "$DIR/running/holder" 2>/dev/null)
    case $holder in
      '') [ -n "$(find "$DIR/running" -maxdepth 0 -mmin +5 2>/dev/null)" ] || exit 0 ;;
      "$(boot) "*) kill -0 "${holder##* }" 2>/dev/null && exit 0 ;;
    esac
    rm -rf "$DIR/running"
    mkdir "$DIR/running" 2>/dev/null || exit 0
  fi
  echo "$(boot) $$" >"$DIR/running/holder"
  trap 'rm -rf "$WORK" "$DIR/running"' EXIT
}

if [ "${1:-}" = facts ]; then
  facts
  exit
fi

SYSTEM_KEY=$(member systemKey)
SERVER=$(member server)
[ -n "$SYSTEM_KEY" ] || fail 'this machine is not enrolled'
WORK=$(mktemp -d) || exit 1
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM
DONE=$DIR/commands
mkdir -p "$DONE"

case ${1:-} in
  run)
    lock
    report
    commands
    ;;
  event)
    [ -n "${2:-}" ] || fail 'event: the type is missing'
    event "$2" "${3:-}"
    ;;
  *) fail 'usage: agent.sh run | facts | event <type> [message]' ;;
esac

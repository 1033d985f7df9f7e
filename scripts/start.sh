#!/bin/sh
# npm start. A script of its own, since npm passes arguments to the last command only, and the port is checked first.
set -e
node scripts/check-port.mjs "$@"
node scripts/install.mjs
node scripts/build-web.mjs
exec node_modules/.bin/node cli/main.ts serve "$@"

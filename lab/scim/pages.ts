import { type Html, html } from '../../server/platform/html.ts'
import type { Lab } from './lab.ts'
import { PROFILES, type Profile } from './profiles.ts'
import { isObject, type Json } from './read.ts'
import type { Resource } from './store.ts'

const MAX_ROWS = 50
const REFRESH_SECONDS = 2

const page = (title: string, content: Html, refreshSeconds?: number): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshSeconds === undefined ? undefined : html`<meta http-equiv="refresh" content="${String(refreshSeconds)}">`}
<title>${title}</title>
<link rel="stylesheet" href="page.css">
</head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`.text

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const table = (names: string[], rows: Html[]): Html =>
  html`<table><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
${rows}</tbody></table>`
const row = (...cells: (string | Html)[]): Html =>
  html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`

const button = (action: string, id: string, label: string): Html =>
  html`<form method="post" action="by-hand/${action}"><input type="hidden" name="id" value="${id}"><button type="submit">${label}</button></form>`

const nameOf = ({ displayName, name }: Resource): string =>
  text(displayName) ||
  (isObject(name) ? [name.givenName, name.familyName].map(text).join(' ').trim() : '')

/** The newest: a user who was just bound is on top. */
const newest = (resources: ReadonlyMap<string, Resource>): Resource[] =>
  [...resources.values()].slice(-MAX_ROWS).reverse()

const count = (shown: number, all: number): string =>
  shown < all ? `${all}, the newest ${shown} of them here` : String(all)

function usersTable({ store }: Lab): Html {
  const users = newest(store.users)
  const rows = users.map((user) => {
    const groups = store.groupsOf(user.id).map(({ displayName }) => text(displayName))
    const isActive = user.active !== false
    const change = isActive
      ? button('deactivate', user.id, 'Deactivate')
      : button('activate', user.id, 'Activate')
    return row(
      text(user.userName),
      nameOf(user),
      isActive ? 'active' : 'inactive',
      groups.join(', '),
      html`${change} ${button('delete-user', user.id, 'Delete')}`,
    )
  })
  return html`<h2>Users: ${count(users.length, store.users.size)}</h2>
${table(['User name', 'Name', 'State', 'Groups', 'By hand'], rows)}`
}

function groupsTable({ store }: Lab): Html {
  const groups = newest(store.groups)
  const rows = groups.map((group) => {
    const members = (group.members ?? []) as Json[]
    const names = members
      .slice(0, MAX_ROWS)
      .map(({ value }) => text(store.users.get(String(value))?.userName) || String(value))
    return row(
      text(group.displayName),
      String(members.length),
      names.join(', '),
      button('delete-group', group.id, 'Delete'),
    )
  })
  return html`<h2>Groups: ${count(groups.length, store.groups.size)}</h2>
${table(['Name', 'Members', 'Who', 'By hand'], rows)}`
}

function requestsTable({ store }: Lab): Html {
  const rows = store.journal
    .slice(-MAX_ROWS)
    .reverse()
    .map(({ at, method, path, status, note }) =>
      row(at.slice(11, 19), method, path, [status || '', note ?? ''].join(' ').trim()),
    )
  return html`<h2>Last requests</h2>
${table(['Time', 'Method', 'Path', 'Status'], rows)}`
}

/** The users, the groups and the last requests. */
export const statePage = (lab: Lab): string =>
  page(
    'Test SCIM provider',
    html`<p>Connect an application to <code>${lab.url}</code> with its token, and give a group access to the
application: its members appear here.</p>
<p>Profile <strong>${lab.name}</strong>: ${lab.profile.about} <a href="profiles">Other profiles</a></p>
${usersTable(lab)}
${groupsTable(lab)}
${requestsTable(lab)}`,
    REFRESH_SECONDS,
  )

export const profilesPage = (lab: Lab): string =>
  page(
    'Profiles',
    html`<p>Each profile deviates from the standard in a way that is known from real providers. Changing it keeps the
users and groups.</p>
${table(
  ['Name', 'Behaviour', ''],
  Object.entries<Profile>(PROFILES).map(([name, { about }]) =>
    row(
      name,
      about,
      name === lab.name
        ? 'in use'
        : html`<form method="post" action="profiles/${name}"><button type="submit">Use</button></form>`,
    ),
  ),
)}
<p><a href=".">Back</a></p>`,
  )

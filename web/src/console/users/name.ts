interface Named {
  displayname?: string
  firstname?: string
  lastname?: string
  username?: string
}

export const nameOf = ({ displayname, firstname, lastname, username }: Named): string =>
  displayname || [firstname, lastname].filter(Boolean).join(' ') || username || ''

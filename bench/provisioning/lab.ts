import { type Started, start } from '../child.ts'

const TOKEN = 'bench'

export interface Lab extends Started {
  url: string
  token: string
}

/** A SCIM provider in a process of its own. */
export async function startLab(): Promise<Lab> {
  const options = ['--port', '0', '--token', TOKEN]
  const started = await start(['cli/main.ts', 'lab', 'scim', ...options], /base URL\s+\S+\n/)
  return { ...started, url: /base URL\s+(\S+)/.exec(started.line)![1]!, token: TOKEN }
}

/** Bodies for the creation of everyone who is there. */
export async function readBodies({ url, token }: Lab): Promise<object[]> {
  const bodies: object[] = []
  for (let total = 1; bodies.length < total; ) {
    const page = await fetch(`${url}/Users?startIndex=${bodies.length + 1}&count=200`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { totalResults, Resources } = (await page.json()) as {
      totalResults: number
      Resources: Record<string, unknown>[]
    }
    total = totalResults
    for (const { id: _, meta: __, groups: ___, ...body } of Resources) bodies.push(body)
  }
  return bodies
}

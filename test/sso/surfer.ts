import assert from 'node:assert/strict'
import { formOf } from './world.ts'

/** A minimal browser: follows redirects, submits auto-submitting forms, loads the frames of a logout, keeps cookies. */
export class Surfer {
  readonly #cookies = new Map<string, string>()
  readonly #login: { identifier: string; password: string }
  /** All pages it has loaded, for tests that inspect them. */
  readonly forms: { action: string; fields: Record<string, string> }[] = []
  /** Called before a form is submitted; may change or delay it. */
  meddle: (form: Surfer['forms'][number]) => void | Promise<void> = () => {}

  constructor(login: { identifier: string; password: string }) {
    this.#login = login
  }

  async #fetch(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = this.#cookies.get(url.origin)
    const headers = { ...init.headers, ...(cookie !== undefined && { cookie }) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) this.#cookies.set(url.origin, set.split(';')[0]!)
    return response
  }

  /** Signs in, as the page would. */
  async #signIn(page: URL): Promise<URL> {
    const response = await this.#fetch(new URL('/auth/users/sign-in', page), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(this.#login),
    })
    assert.equal(response.status, 200, await response.clone().text())
    return new URL(page.searchParams.get('continue')!, page)
  }

  async #send(page: URL, body: string): Promise<[URL, Response]> {
    const form = body.includes('name="SAMLRequest"') ? foreignForm(body) : formOf(body)
    await this.meddle(form)
    this.forms.push(form)
    const action = new URL(form.action, page)
    return [
      action,
      await this.#fetch(action, { method: 'POST', body: new URLSearchParams(form.fields) }),
    ]
  }

  /** Loads the URL and follows redirects and forms. */
  async open(address: string): Promise<{ url: string; status: number; body: string }> {
    let url = new URL(address)
    let response = await this.#fetch(url)
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get('location')
      if (location !== null) {
        url = new URL(location, url)
        if (url.pathname === '/login') url = await this.#signIn(url)
        response = await this.#fetch(url)
        continue
      }
      const body = await response.text()
      const logout = /data-path="([^"]*)"/.exec(body)?.[1]
      if (logout !== undefined) {
        for (const [, frame] of body.matchAll(/<iframe src="([^"]*)"/g))
          await this.open(new URL(frame!, url).href)
        url = new URL(`${logout}/done`, url)
        response = await this.#fetch(url)
        continue
      }
      if (!/<form[^>]*method="post"/i.test(body))
        return { url: url.href, status: response.status, body }
      ;[url, response] = await this.#send(url, body)
    }
    throw new Error(`No end at ${url}`)
  }

  signedOut(origin: string): boolean {
    return !this.#cookies.get(origin)
  }
}

/** Parses a form of another service. */
function foreignForm(body: string) {
  const action = /action="([^"]*)"/.exec(body)![1]!
  const inputs = body.match(/<input[^>]*>/g) ?? []
  const part = (input: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1]
  const fields = inputs
    .map((input) => [part(input, 'name'), part(input, 'value')] as const)
    .filter((pair): pair is [string, string] => pair[0] !== undefined)
  return { action, fields: Object.fromEntries(fields) }
}

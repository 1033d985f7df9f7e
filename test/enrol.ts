import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Response } from './harness.ts'

export const newKeyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

interface Enroller {
  get: (url: string) => Promise<Response>
}

export const FACTS = {
  hostname: 'web-1',
  os: 'Debian GNU/Linux',
  osFamily: 'linux',
  version: '12',
  arch: 'x86_64',
}

/** Enrols a system as the installer would, and returns its id. */
export async function enrol(
  http: FastifyInstance,
  org: Enroller,
  publicKey: string,
  facts: object = {},
): Promise<string> {
  const { connectKey } = (await org.get('/api/v2/connect-key')).json()
  const res = await http.inject({
    method: 'POST',
    url: '/agent/v1/register',
    headers: { 'x-connect-key': connectKey },
    payload: { ...FACTS, publicKey, ...facts },
  })
  assert.equal(res.statusCode, 201, res.body)
  return res.json().systemKey
}

export const authorization = (
  systemId: string,
  privateKey: string,
  method: string,
  target: string,
  date: string,
): string => {
  const text = `${method} ${target} HTTP/1.1\ndate: ${date}`
  const signature = sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64')
  return `Signature keyId="system/${systemId}",headers="request-line date",algorithm="rsa-sha256",signature="${signature}"`
}

/** Calls signed by a system. */
export function signedCaller(http: FastifyInstance, systemId: string, privateKey: string) {
  return (method: string, url: string, body?: unknown, at = Date.now()): Promise<Response> => {
    const date = new Date(at).toUTCString()
    return http.inject({
      method: method as InjectOptions['method'] & 'GET',
      url,
      headers: { date, authorization: authorization(systemId, privateKey, method, url, date) },
      ...(body !== undefined && { payload: body as object }),
    })
  }
}

const execute = promisify(execFile)

/** Runs a program asynchronously, as it may call our server. */
export async function run(
  program: string,
  args: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH!, LC_ALL: 'C', ...options.env }
  try {
    const { stdout, stderr } = await execute(program, args, { ...options, env })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

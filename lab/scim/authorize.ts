import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { registerFormBody } from '../../server/platform/http/form-body.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { randomToken, sameSecret } from '../../server/platform/secrets.ts'
import { ScimError } from './errors.ts'
import type { Lab } from './lab.ts'

const CLIENT_ID = 'lab'
const TOKEN_SECONDS = 30

/** Access tokens of the OAuth profile, with the time at which each expires. */
type Tokens = Map<string, number>

function isAccepted({ profile, token, now }: Lab, tokens: Tokens, sent: string): boolean {
  return profile.oauth ? (tokens.get(sent) ?? 0) > now() : sameSecret(sent, token)
}

export const authorize =
  (lab: Lab, tokens: Tokens) =>
  async ({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const sent = /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
    if (sent !== undefined && isAccepted(lab, tokens, sent)) return
    reply.header('www-authenticate', 'Bearer realm="SCIM lab"')
    throw new ScimError(401, 'The token is missing, wrong or expired')
  }

/** RFC 6749 §2.3.1: in the header, or in the form. */
function clientOf({ headers, body }: FastifyRequest): unknown[] {
  const basic = /^basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return [Object(body).client_id, Object(body).client_secret]
  const [id, secret] = Buffer.from(basic, 'base64').toString().split(':')
  return [new URLSearchParams(`id=${id}`).get('id'), new URLSearchParams(`s=${secret}`).get('s')]
}

/** The token endpoint of the OAuth profile: RFC 6749 §4.4. The secret of the client is the token of the lab. */
export const tokenRoutes: FastifyPluginAsync<{ lab: Lab; tokens: Tokens }> = async (
  app,
  { lab, tokens },
) => {
  await registerFormBody(app, DEFAULT_LIMITS)
  app.post('/oauth/token', async (request, reply) => {
    const { profile, token, now } = lab
    if (!profile.oauth) throw new ScimError(404, 'Only the profile oauth has this endpoint')
    const [id, secret] = clientOf(request)
    reply.header('cache-control', 'no-store')
    if (id !== CLIENT_ID || typeof secret !== 'string' || !sameSecret(secret, token))
      return reply.code(401).send({ error: 'invalid_client' })
    if (Object(request.body).grant_type !== 'client_credentials')
      return reply.code(400).send({ error: 'unsupported_grant_type' })
    for (const [old, expires] of tokens) if (expires <= now()) tokens.delete(old)
    const access_token = randomToken()
    tokens.set(access_token, now() + TOKEN_SECONDS * 1000)
    return { access_token, token_type: 'Bearer', expires_in: TOKEN_SECONDS }
  })
}

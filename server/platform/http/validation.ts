import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'

const make = (coerceTypes: boolean | 'array'): Ajv => {
  const ajv = new Ajv({
    coerceTypes,
    useDefaults: true,
    removeAdditional: false,
    allErrors: false,
    strict: false,
  })
  addFormats.default(ajv)
  return ajv
}

/** Text becomes numbers and booleans where there is only text (query, path, headers); a JSON body means what it says. */
export function registerValidation(app: FastifyInstance): void {
  const strict = make(false)
  const lenient = make('array')
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'body' ? strict : lenient).compile(schema as object),
  )
}

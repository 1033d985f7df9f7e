import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'

/**
 * RFC 3339 allows leap seconds, year 0 and offsets of 23 hours. JavaScript or the database does not, and would fail
 * much later.
 */
const isKeptTime = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) &&
  !text.startsWith('0000') &&
  !/[+-](1[6-9]|2\d):?\d\d$/.test(text)

const make = (coerceTypes: boolean | 'array'): Ajv => {
  const ajv = new Ajv({
    coerceTypes,
    useDefaults: true,
    removeAdditional: false,
    allErrors: false,
    strict: false,
  })
  addFormats.default(ajv)
  for (const name of ['date-time', 'date'] as const) {
    const { validate } = fullFormats[name] as { validate: (text: string) => boolean }
    ajv.addFormat(name, (text: string) => validate(text) && isKeptTime(text))
  }
  return ajv
}

// Of the process, not of an application: schemas are constants, compiled once however many applications use them.
const strict = make(false)
const lenient = make('array')
const serializers = new WeakMap<object, (value: unknown) => string>()

function serializerOf(schema: object): (value: unknown) => string {
  const serialize = serializers.get(schema) ?? fastJsonStringify(schema)
  serializers.set(schema, serialize)
  return serialize
}

function lazyValidator(ajv: Ajv, schema: object) {
  let compiled: ValidateFunction | undefined
  const validate = (value: unknown): boolean => {
    compiled ??= ajv.compile(schema)
    const fits = compiled(value)
    validate.errors = compiled.errors ?? null
    return fits
  }
  // Fastify reads the errors from here.
  validate.errors = null as ErrorObject[] | null
  return validate
}

/**
 * Schemas are compiled on first use: compiling all took half of the start-up time and a tenth of the memory. Query,
 * path and headers are coerced to numbers and booleans; a JSON body is not.
 */
export function registerSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    lazyValidator(httpPart === 'body' ? strict : lenient, schema as object),
  )
  app.setSerializerCompiler(({ schema }) => {
    let serialize: ((value: unknown) => string) | undefined
    return (value) => {
      serialize ??= serializerOf(schema as object)
      return serialize(value)
    }
  })
}

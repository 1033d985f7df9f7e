import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { codeOf, messageOf, OperatorError } from '../../server/platform/errors.ts'
import { sameSecret } from '../../server/platform/secrets.ts'
import {
  checkMasterKey,
  FORMAT,
  type Frame,
  type FrameKind,
  frameHead,
  type Header,
  MAX_FRAME,
  newSeal,
  VERSION,
} from './format.ts'

const damaged = (file: string): OperatorError =>
  new OperatorError(`${file} is not a complete Gatehouse backup: it is damaged or truncated`)

async function* inflate(file: string): AsyncGenerator<Buffer> {
  const plain = createGunzip({ chunkSize: 1 << 18 })
  // File errors surface through the iterator below.
  pipeline(createReadStream(file), plain, () => {})
  try {
    for await (const chunk of plain) yield chunk as Buffer
  } catch (error) {
    if (codeOf(error)?.startsWith('Z_')) throw damaged(file)
    throw new OperatorError(`The archive cannot be read: ${messageOf(error)}`)
  }
}

export async function* readFrames(file: string): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of inflate(file)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 5) {
      const length = rest.readUInt32BE(1)
      const kind = rest.toString('latin1', 0, 1)
      if (length > MAX_FRAME || !'HTDES'.includes(kind)) throw damaged(file)
      if (rest.length < 5 + length) break
      yield { kind: kind as FrameKind, body: rest.subarray(5, 5 + length) }
      rest = rest.subarray(5 + length)
    }
  }
  if (rest.length > 0) throw damaged(file)
}

function parseHeader(file: string, frame: Frame): Header {
  let header: Header
  try {
    header = JSON.parse(frame.body.toString())
  } catch {
    throw damaged(file)
  }
  if (frame.kind !== 'H' || header.format !== FORMAT) throw damaged(file)
  if (header.version !== VERSION)
    throw new OperatorError(
      `${file} has backup format ${header.version}, this program reads ${VERSION}; restore it with Gatehouse ${header.program}`,
    )
  return header
}

/** Checks the master key, the seal and the structure of the whole archive before anything is changed. */
export async function verifyArchive(file: string, master: Buffer): Promise<Header> {
  const seal = newSeal(master)
  let header: Header | undefined
  let last: string | undefined
  for await (const frame of readFrames(file)) {
    // Nothing may follow the seal.
    if (last !== undefined) throw damaged(file)
    if (!header) {
      header = parseHeader(file, frame)
      checkMasterKey(header, master)
    }
    if (frame.kind === 'S') last = frame.body.toString('hex')
    else seal.update(frameHead(frame)).update(frame.body)
  }
  if (!header || last === undefined || !sameSecret(last, seal.digest('hex'))) throw damaged(file)
  return header
}

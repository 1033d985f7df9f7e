import {
  type CipherGCM,
  constants,
  createCipheriv,
  createPublicKey,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { keyInfo } from './xml-signature.ts'
import { type Element, element, type Written } from './xml-writer.ts'

// XML Encryption 1.1 §5.2. GCM is authenticated; CBC is for service providers that support nothing else.
const CONTENT = {
  'AES256-GCM': {
    uri: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
    cipher: 'aes-256-gcm',
    key: 32,
    iv: 12,
  },
  'AES128-GCM': {
    uri: 'http://www.w3.org/2009/xmlenc11#aes128-gcm',
    cipher: 'aes-128-gcm',
    key: 16,
    iv: 12,
  },
  'AES256-CBC': {
    uri: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
    cipher: 'aes-256-cbc',
    key: 32,
    iv: 16,
  },
  'AES128-CBC': {
    uri: 'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
    cipher: 'aes-128-cbc',
    key: 16,
    iv: 16,
  },
} as const
type EncryptionMethod = keyof typeof CONTENT
const KEY_TRANSPORT = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p'
const ELEMENT_TYPE = 'http://www.w3.org/2001/04/xmlenc#Element'
const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1'

/** The IV, the ciphertext and, for GCM, the tag. */
function seal(plain: string, key: Buffer, method: EncryptionMethod): string {
  const iv = randomBytes(CONTENT[method].iv)
  const cipher = createCipheriv(CONTENT[method].cipher, key, iv)
  const sealed = [iv, cipher.update(plain, 'utf8'), cipher.final()]
  if (method.endsWith('GCM')) sealed.push((cipher as CipherGCM).getAuthTag())
  return Buffer.concat(sealed).toString('base64')
}

const cipherValue = (value: string): Element =>
  element('xenc:CipherData', {}, element('xenc:CipherValue', {}, value))

export interface Recipient {
  /** PEM. */
  certificate: string
  method: EncryptionMethod
}

/**
 * SAML Core §6: the signed assertion under a fresh content key, which is wrapped for the service provider. All
 * implementations support OAEP with SHA-1, and its security does not depend on collision resistance.
 */
export function encryptAssertion(
  { written }: Written,
  { certificate, method }: Recipient,
): Element {
  const key = randomBytes(CONTENT[method].key)
  const publicKey: KeyObject = createPublicKey(certificate)
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
  const wrapped = publicEncrypt({ key: publicKey, ...padding }, key).toString('base64')
  const encryptedKey = element(
    'xenc:EncryptedKey',
    {},
    element(
      'xenc:EncryptionMethod',
      { Algorithm: KEY_TRANSPORT },
      element('ds:DigestMethod', { Algorithm: SHA1 }),
    ),
    keyInfo(certificate),
    cipherValue(wrapped),
  )
  return element(
    'saml:EncryptedAssertion',
    {},
    element(
      'xenc:EncryptedData',
      { Type: ELEMENT_TYPE },
      element('xenc:EncryptionMethod', { Algorithm: CONTENT[method].uri }),
      element('ds:KeyInfo', {}, encryptedKey),
      cipherValue(seal(written, key, method)),
    ),
  )
}

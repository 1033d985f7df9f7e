import {
  constants,
  createCipheriv,
  createPublicKey,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { keyInfo } from './xml-signature.ts'
import { type Element, element, type Written } from './xml-writer.ts'

const CONTENT = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'
const KEY_TRANSPORT = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p'
const ELEMENT_TYPE = 'http://www.w3.org/2001/04/xmlenc#Element'
const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1'

/** XML Encryption 1.1 §5.2.4: a 96-bit IV, the ciphertext, the tag. */
function seal(plain: string, key: Buffer): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return Buffer.concat([
    iv,
    cipher.update(plain, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString('base64')
}

const cipherValue = (value: string): Element =>
  element('xenc:CipherData', {}, element('xenc:CipherValue', {}, value))

/**
 * SAML Core §6: the assertion, as it was signed, under a key of its own, and that key for the service provider. OAEP with
 * SHA-1 is what all implementations know; its safety does not rest on collisions.
 */
export function encryptAssertion({ written }: Written, certificatePem: string): Element {
  const key = randomBytes(32)
  const publicKey: KeyObject = createPublicKey(certificatePem)
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
    keyInfo(certificatePem),
    cipherValue(wrapped),
  )
  return element(
    'saml:EncryptedAssertion',
    {},
    element(
      'xenc:EncryptedData',
      { Type: ELEMENT_TYPE },
      element('xenc:EncryptionMethod', { Algorithm: CONTENT }),
      element('ds:KeyInfo', {}, encryptedKey),
      cipherValue(seal(written, key)),
    ),
  )
}

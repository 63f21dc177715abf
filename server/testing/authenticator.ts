/** An authenticator in software, with the keys of passkeys. It answers what the console gives to `navigator.credentials`. */

import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

export interface Authenticator {
  /** Answers the options of `navigator.credentials.create`. */
  create(options: CreationOptions, changes?: Changes): object
  /** Answers the options of `navigator.credentials.get`. */
  get(options: RequestOptions, changes?: Changes): object
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string }
  readonly user: { readonly id: string }
}

interface RequestOptions {
  readonly challenge: string
  readonly userVerification?: string
}

/** What an attacker would change. */
interface Changes {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly userHandle?: string
  readonly isUserVerified?: boolean
}

const ORIGIN = 'http://localhost:8080'
const RP_ID = 'localhost'
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED_DATA = 0x40

export function createAuthenticator(): Authenticator {
  const id = crypto.getRandomValues(new Uint8Array(16))
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let counter = 0
  let userHandle = ''
  const answer = (response: object) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    authenticatorAttachment: 'cross-platform',
    clientExtensionResults: {},
    response,
  })
  return {
    create({ challenge, rp, user }, changes = {}) {
      userHandle = user.id
      const clientData = clientDataOf('webauthn.create', { challenge, ...changes })
      const attested = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseKeyOf(publicKey)])
      const data = authenticatorData(changes.rpId ?? rp.id ?? RP_ID, USER_PRESENT | ATTESTED_DATA, 0, attested)
      return answer({
        clientDataJSON: base64url(clientData),
        attestationObject: base64url(attestationOf(data)),
        transports: ['usb'],
      })
    },
    get({ challenge, userVerification }, changes = {}) {
      const isUserVerified = changes.isUserVerified ?? userVerification === 'required'
      const flags = USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0)
      const clientData = clientDataOf('webauthn.get', { challenge, ...changes })
      const data = authenticatorData(changes.rpId ?? RP_ID, flags, ++counter)
      const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
      return answer({
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', signed, privateKey)),
        userHandle: changes.userHandle ?? userHandle,
      })
    },
  }
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const clientDataOf = (type: string, { challenge, origin = ORIGIN }: Changes): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

function authenticatorData(rpId: string, flags: number, counter: number, rest: Uint8Array = new Uint8Array()): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count, rest])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** The CBOR of {1: 2, 3: -7, -1: 1, -2: x, -3: y}: an ES256 key on P-256. */
function coseKeyOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const coordinate = (text: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')])
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    coordinate(x),
    Buffer.from([0x22]),
    coordinate(y),
  ])
}

/** The CBOR of {"fmt": "none", "attStmt": {}, "authData": bytes}. */
function attestationOf(data: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x59]),
    uint16(data.length),
    data,
  ])
}

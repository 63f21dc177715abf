/** The bodies of requests that add, use and remove second factors. */

import { type Static, Type } from 'typebox'
import { Name } from '#api/console/schemas'

/** What authenticators produce is shorter: a key, a signature, and the page that asked. */
const Base64Url = Type.String({ maxLength: 8000, pattern: '^[A-Za-z0-9_-]*$' })

/** `AuthenticationResponseJSON` of WebAuthn. */
export const PasskeyAnswer = Type.Object({
  id: Base64Url,
  rawId: Base64Url,
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}),
  response: Type.Object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Type.Optional(Base64Url),
  }),
})
export type PasskeyAnswer = Static<typeof PasskeyAnswer>

/** `RegistrationResponseJSON` of WebAuthn. */
const CreatedPasskey = Type.Object({
  id: Base64Url,
  rawId: Base64Url,
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}),
  response: Type.Object({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
  }),
})

const Code = Type.String({ minLength: 1, maxLength: 60 })

const totp = Type.Object({ method: Type.Literal('totp'), code: Code })
const recoveryCode = Type.Object({ method: Type.Literal('recovery-code'), code: Code })
const passkey = Type.Object({ method: Type.Literal('passkey'), response: PasskeyAnswer })
const password = Type.Object({
  method: Type.Literal('password'),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
})

export const SecondFactorProof = Type.Union([totp, recoveryCode, passkey])
export type SecondFactorProof = Static<typeof SecondFactorProof>

/** What proves the owner of a session: a second factor, or the password. */
export const Proof = Type.Union([totp, recoveryCode, passkey, password])
export type Proof = Static<typeof Proof>

export const ProofBody = Type.Object({ proof: Proof })
export const OptionalProofBody = Type.Partial(ProofBody)
export const CodeBody = Type.Object({ code: Code })

export const PasskeyBody = Type.Object({ name: Name, response: CreatedPasskey })
export type PasskeyBody = Static<typeof PasskeyBody>

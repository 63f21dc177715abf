/** The bodies of requests that add, use and remove second factors. */

import { type Static, type TProperties, Type } from 'typebox'
import { Name, answerOf, nullable, Timestamp } from '#api/console/schemas'

/** What authenticators produce is shorter: a key, a signature, and the page that asked. */
const Base64Url = Type.String({ maxLength: 8000, pattern: '^[A-Za-z0-9_-]*$' })

/** What an authenticator answers, with the members of its kind of answer. */
const publicKeyAnswer = <T extends TProperties>(response: T) =>
  Type.Object({
    id: Base64Url,
    rawId: Base64Url,
    type: Type.Literal('public-key'),
    clientExtensionResults: Type.Object({}),
    response: Type.Object({ clientDataJSON: Base64Url, ...response }),
  })

/** `AuthenticationResponseJSON` of WebAuthn. */
export const PasskeyAnswer = publicKeyAnswer({
  authenticatorData: Base64Url,
  signature: Base64Url,
  userHandle: Type.Optional(Base64Url),
})
export type PasskeyAnswer = Static<typeof PasskeyAnswer>

/** `RegistrationResponseJSON` of WebAuthn. */
const CreatedPasskey = publicKeyAnswer({
  attestationObject: Base64Url,
  transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
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

const PasskeyOutput = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
})
export type PasskeyOutput = Static<typeof PasskeyOutput>

const SecondFactors = Type.Object({
  totp: nullable(Type.Object({ created_at: Timestamp })),
  passkeys: Type.Array(PasskeyOutput),
  /** How many recovery codes are left. */
  recovery_codes: Type.Integer(),
})
export type SecondFactors = Static<typeof SecondFactors>

export const SecondFactorsAnswer = answerOf(SecondFactors)

/** The recovery codes of an account whose first second factor this is; null otherwise. */
const Enrolled = Type.Object({ recovery_codes: nullable(Type.Array(Type.String())) })
export type Enrolled = Static<typeof Enrolled>

export const EnrolledAnswer = answerOf(Enrolled)

/** The secret in base 32, and as an `otpauth:` URI for a QR code. */
const NewTotp = Type.Object({ secret: Type.String(), uri: Type.String() })
export type NewTotpOutput = Static<typeof NewTotp>

export const NewTotpAnswer = answerOf(NewTotp)

export const RecoveryCodesAnswer = answerOf(Type.Object({ recovery_codes: Type.Array(Type.String()) }))
export type RecoveryCodesAnswer = Static<typeof RecoveryCodesAnswer>

/** Options of WebAuthn, which the library of the browser reads. */
export const PasskeyOptionsAnswer = answerOf(Type.Record(Type.String(), Type.Unknown()))

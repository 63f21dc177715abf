/** The bodies of requests that sign in or run the first start. */

import { type Static, Type } from 'typebox'
import { EmailAddress, Name, Password, SecondName } from '#api/console/schemas'
import { PasskeyAnswer, SecondFactorProof } from '#api/console/second-factor/schemas'

export const SignInBody = Type.Object({
  email_address: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
})
export type SignInBody = Static<typeof SignInBody>

export const PasskeySignInBody = Type.Object({ response: PasskeyAnswer })

const PendingToken = Type.String({ minLength: 1, maxLength: 100 })

export const PendingBody = Type.Object({ token: PendingToken })

export const SecondStepBody = Type.Object({ token: PendingToken, proof: SecondFactorProof })
export type SecondStepBody = Static<typeof SecondStepBody>

export const FirstStartBody = Type.Object({
  email_address: EmailAddress,
  password: Password,
  first_name: Name,
  last_name: SecondName,
  workspace_name: Name,
})
export type FirstStartBody = Static<typeof FirstStartBody>

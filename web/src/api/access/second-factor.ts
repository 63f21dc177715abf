/** Second factors: the second step of a sign-in, and the factors of the signed-in account. */

import type {
  Enrolled,
  NewTotpOutput,
  PasskeyOutput,
  Proof,
  RecoveryCodesAnswer,
  SecondFactors,
} from '#api/console/second-factor/schemas'
import { consoleApi } from '../client'

export type Passkey = PasskeyOutput
export type { Enrolled, Proof, SecondFactors }

/** The library that talks to authenticators is loaded when it is needed. */
const library = () => import('@simplewebauthn/browser')

export const completeSignIn = (token: string, proof: Proof): Promise<unknown> =>
  consoleApi.post('/sign-in/second-factor', { body: { token, proof } })

/** Asks the browser for a passkey, for the second step of a sign-in. */
export const passkeyProofFor = (token: string): Promise<Proof> =>
  askForPasskey('/sign-in/second-factor/passkey-options', { token })

/** Asks the browser for a passkey of the signed-in account. */
export const passkeyProof = (): Promise<Proof> => askForPasskey('/second-factor/passkey-options', {})

const askForPasskey = async (path: string, body: object): Promise<Proof> => ({
  method: 'passkey',
  response: await getPasskey(path, body),
})

/** Signs in with a passkey that the browser offers, in place of the password. */
export async function signInWithPasskey(): Promise<void> {
  await consoleApi.post('/sign-in/passkey', { body: { response: await getPasskey('/sign-in/passkey-options', {}) } })
}

/** Returns the answer of a passkey to the options that the service sends. */
async function getPasskey(path: string, body: object) {
  const { startAuthentication } = await library()
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
  const { data } = await consoleApi.post<{ data: Options }>(path, { body })
  return asPasskeyError(startAuthentication({ optionsJSON: data }))
}

export const readSecondFactors = async (signal?: AbortSignal): Promise<SecondFactors> =>
  (await consoleApi.get<{ data: SecondFactors }>('/second-factor', { signal })).data

export const beginTotp = async (proof?: Proof): Promise<NewTotpOutput> =>
  (await consoleApi.post<{ data: NewTotpOutput }>('/second-factor/totp', { body: { proof } })).data

export const confirmTotp = async (code: string): Promise<Enrolled> =>
  (await consoleApi.post<{ data: Enrolled }>('/second-factor/totp/confirm', { body: { code } })).data

export const removeTotp = (proof: Proof): Promise<unknown> =>
  consoleApi.post('/second-factor/totp/remove', { body: { proof } })

/** Asks the browser to create a passkey, and stores it. */
export async function addPasskey(name: string, proof?: Proof): Promise<Enrolled> {
  const { startRegistration } = await library()
  type Options = Parameters<typeof startRegistration>[0]['optionsJSON']
  const { data } = await consoleApi.post<{ data: Options }>('/second-factor/passkeys/options', { body: { proof } })
  const response = await asPasskeyError(startRegistration({ optionsJSON: data }))
  return (await consoleApi.post<{ data: Enrolled }>('/second-factor/passkeys', { body: { name, response } })).data
}

export const removePasskey = (id: string, proof: Proof): Promise<unknown> =>
  consoleApi.post(`/second-factor/passkeys/${id}/remove`, { body: { proof } })

export const replaceRecoveryCodes = async (proof: Proof): Promise<readonly string[]> =>
  (
    await consoleApi.post<RecoveryCodesAnswer>('/second-factor/recovery-codes', {
      body: { proof },
    })
  ).data.recovery_codes

/** The browser does not say why a person did not use a passkey. */
const asPasskeyError = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError'
    throw new Error(
      isKnown ? 'This device already has a passkey for your account.' : 'The passkey was not used. Try again.',
    )
  })

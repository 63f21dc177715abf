import { Elysia } from 'elysia'
import { createProofOptions, relyingPartyOf } from '#access/second-factor/webauthn'
import { type ConsoleContext, deviceOf } from '#api/console/console-context'
import {
  addPasskey,
  addTotp,
  beginPasskey,
  beginTotp,
  getFactors,
  removePasskey,
  removeTotp,
  replaceRecoveryCodes,
} from './account-factors'
import {
  CodeBody,
  EnrolledAnswer,
  NewTotpAnswer,
  OptionalProofBody,
  PasskeyBody,
  PasskeyOptionsAnswer,
  ProofBody,
  RecoveryCodesAnswer,
  SecondFactorsAnswer,
} from './schemas'
import { requireProof, requireRecentProof } from './verify'
import { Done } from '#api/console/schemas'

export const secondFactorRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-second-factor' })
    .get(
      ...guard.account('/console/api/second-factor', { response: SecondFactorsAnswer }, async ({ session }) => ({
        data: await getFactors(appContext, session),
      })),
    )
    .post(
      ...guard.account(
        '/console/api/second-factor/passkey-options',
        { response: PasskeyOptionsAnswer },
        async ({ session }) => {
          const { db, now, settings } = appContext
          return {
            data: await createProofOptions({ sql: db.sql, ...session, relyingParty: relyingPartyOf(settings) }, now()),
          }
        },
      ),
    )
    .post(
      ...guard.account(
        '/console/api/second-factor/totp',
        { response: NewTotpAnswer, body: OptionalProofBody },
        async (input) => {
          await requireRecentProof(appContext, input.session, input.body.proof, deviceOf(input))
          return { data: await beginTotp(appContext, input.session) }
        },
      ),
    )
    .post(
      ...guard.account(
        '/console/api/second-factor/totp/confirm',
        { response: EnrolledAnswer, body: CodeBody },
        async (input) => ({
          data: await addTotp(appContext, input.session, input.body.code, deviceOf(input)),
        }),
      ),
    )
    .post(
      ...guard.account('/console/api/second-factor/totp/remove', { response: Done, body: ProofBody }, async (input) => {
        await requireProof(appContext, input.session, input.body.proof, deviceOf(input))
        await removeTotp(appContext, input.session, deviceOf(input))
        return { data: {} }
      }),
    )
    .post(
      ...guard.account(
        '/console/api/second-factor/passkeys/options',
        { response: PasskeyOptionsAnswer, body: OptionalProofBody },
        async (input) => {
          await requireRecentProof(appContext, input.session, input.body.proof, deviceOf(input))
          return { data: await beginPasskey(appContext, input.session) }
        },
      ),
    )
    .post(
      ...guard.account(
        '/console/api/second-factor/passkeys',
        { response: EnrolledAnswer, body: PasskeyBody },
        async (input) => ({
          data: await addPasskey(appContext, input.session, input.body, deviceOf(input)),
        }),
      ),
    )
    .post(
      ...guard.account(
        '/console/api/second-factor/passkeys/:passkey_id/remove',
        { response: Done, body: ProofBody },
        async (input) => {
          await requireProof(appContext, input.session, input.body.proof, deviceOf(input))
          await removePasskey(appContext, input.session, input.params.passkey_id, deviceOf(input))
          return { data: {} }
        },
      ),
    )
    .post(
      ...guard.account(
        '/console/api/second-factor/recovery-codes',
        { response: RecoveryCodesAnswer, body: ProofBody },
        async (input) => {
          await requireProof(appContext, input.session, input.body.proof, deviceOf(input))
          return { data: { recovery_codes: await replaceRecoveryCodes(appContext, input.session, deviceOf(input)) } }
        },
      ),
    )

/** The connected accounts of the signed-in member. Nobody else reads or changes them. See docs/connected-accounts.md. */

import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { Nothing } from '#api/console/schemas'
import {
  changeConnectedAccount,
  connectAccount,
  disconnectAccount,
  proposeAccounts,
  readExclusions,
  readNow,
  renderAccounts,
  saveExclusions,
} from './accounts'
import {
  AccountAnswer,
  AccountChangeBody,
  AccountsAnswer,
  DiscoveryBody,
  ExclusionsAnswer,
  ExclusionsBody,
  FinishSignInBody,
  NewAccountBody,
  ProposalsAnswer,
  SignInAnswer,
  SignInBody,
} from './schemas'
import { beginSignIn, finishSignIn } from './sign-in'

const ACCOUNTS = '/console/api/workspaces/:workspace_id/connected-accounts'
const ACCOUNT = `${ACCOUNTS}/:account_id`
const EXCLUSIONS = '/console/api/workspaces/:workspace_id/excluded-addresses'

/** Members without the permission still see and remove the accounts that they have. */
export const connectedAccountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-connected-accounts' })
    .get(
      ...guard.member(ACCOUNTS, { response: AccountsAnswer }, async ({ member }) => ({
        data: await renderAccounts(appContext, member),
      })),
    )
    .post(
      ...guard.permitted('connected_accounts')(
        ACCOUNTS,
        { response: AccountAnswer, body: NewAccountBody },
        async ({ member, body }) => ({ data: await connectAccount(appContext, member, body) }),
      ),
    )
    .post(
      ...guard.permitted('connected_accounts')(
        `${ACCOUNTS}/discover`,
        { response: ProposalsAnswer, body: DiscoveryBody },
        async ({ body }) => ({ data: await proposeAccounts(appContext, body) }),
      ),
    )
    .post(
      ...guard.permitted('connected_accounts')(
        `${ACCOUNTS}/sign-in`,
        { response: SignInAnswer, body: SignInBody },
        async ({ member, body }) => ({ data: { url: await beginSignIn(appContext, member, body) } }),
      ),
    )
    .post(
      ...guard.permitted('connected_accounts')(
        `${ACCOUNTS}/signed-in`,
        { response: AccountAnswer, body: FinishSignInBody },
        async ({ member, body }) => ({ data: await finishSignIn(appContext, member, body.query) }),
      ),
    )
    .patch(
      ...guard.permitted('connected_accounts')(
        ACCOUNT,
        { response: AccountAnswer, body: AccountChangeBody },
        async ({ member, params, body }) => ({
          data: await changeConnectedAccount(appContext, member, params.account_id, body),
        }),
      ),
    )
    .post(
      ...guard.permitted('connected_accounts')(
        `${ACCOUNT}/read`,
        { response: AccountAnswer },
        async ({ member, params }) => ({
          data: await readNow(appContext, member, params.account_id),
        }),
      ),
    )
    .delete(
      ...guard.member(ACCOUNT, { response: Nothing }, async ({ member, params }) => {
        await disconnectAccount(appContext, member, params.account_id)
        return {}
      }),
    )
    .get(
      ...guard.member(EXCLUSIONS, { response: ExclusionsAnswer }, async ({ member }) => ({
        data: await readExclusions(appContext, member),
      })),
    )
    .put(
      ...guard.permitted('connected_accounts')(
        EXCLUSIONS,
        { response: ExclusionsAnswer, body: ExclusionsBody },
        async ({ member, body }) => ({ data: await saveExclusions(appContext, member, body) }),
      ),
    )

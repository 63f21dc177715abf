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
  NewAccountBody,
  ProposalsAnswer,
} from './schemas'

const ACCOUNTS = '/console/api/workspaces/:workspace_id/connected-accounts'
const ACCOUNT = `${ACCOUNTS}/:account_id`
const EXCLUSIONS = '/console/api/workspaces/:workspace_id/excluded-addresses'

/** Members without the permission still see and remove the accounts that they have. */
export const connectedAccountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-connected-accounts' })
    .get(
      ACCOUNTS,
      ...guard.member({ response: AccountsAnswer }, async ({ member }) => ({
        data: await renderAccounts(appContext, member),
      })),
    )
    .post(
      ACCOUNTS,
      ...guard.permitted('connected_accounts')(
        { response: AccountAnswer, body: NewAccountBody },
        async ({ member, body }) => ({ data: await connectAccount(appContext, member, body) }),
      ),
    )
    .post(
      `${ACCOUNTS}/discover`,
      ...guard.permitted('connected_accounts')(
        { response: ProposalsAnswer, body: DiscoveryBody },
        async ({ body }) => ({ data: await proposeAccounts(appContext, body) }),
      ),
    )
    .patch(
      ACCOUNT,
      ...guard.permitted('connected_accounts')(
        { response: AccountAnswer, body: AccountChangeBody },
        async ({ member, params, body }) => ({
          data: await changeConnectedAccount(appContext, member, params.account_id, body),
        }),
      ),
    )
    .post(
      `${ACCOUNT}/read`,
      ...guard.permitted('connected_accounts')({ response: AccountAnswer }, async ({ member, params }) => ({
        data: await readNow(appContext, member, params.account_id),
      })),
    )
    .delete(
      ACCOUNT,
      ...guard.member({ response: Nothing }, async ({ member, params }) => {
        await disconnectAccount(appContext, member, params.account_id)
        return {}
      }),
    )
    .get(
      EXCLUSIONS,
      ...guard.member({ response: ExclusionsAnswer }, async ({ member }) => ({
        data: await readExclusions(appContext, member),
      })),
    )
    .put(
      EXCLUSIONS,
      ...guard.permitted('connected_accounts')(
        { response: ExclusionsAnswer, body: ExclusionsBody },
        async ({ member, body }) => ({ data: await saveExclusions(appContext, member, body) }),
      ),
    )

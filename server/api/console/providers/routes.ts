import { Elysia } from 'elysia'
import { findOfferedProvider } from '#access/providers/providers'
import { newSecret } from '#access/secrets'
import { signInCookie } from '#access/sessions/sessions'
import { answerSignIn } from '#api/console/session/sign-in'
import { type ConsoleContext, auditActorOf, deviceOf, withCookie } from '#api/console/console-context'
import {
  OfferedProvidersAnswer,
  OfferQuery,
  ProviderBody,
  ProviderUrlAnswer,
  ResponseBody,
  RulesBody,
  SignInSettingsAnswer,
} from './schemas'
import { changeRules, getSignInSettings, putProvider, removeProvider } from './settings'
import { beginProviderSignIn, finishProviderSignIn, INSTALLATION } from './sign-in-at-provider'
import { FirstStepAnswer } from '#api/console/session/schemas'

export function providerRoutes({ guard, appContext, cookie }: ConsoleContext) {
  const { db, settings } = appContext
  const browserCookie = signInCookie(settings.brand, settings.appUrl)
  return new Elysia({ name: 'console-providers' })
    .get(
      ...guard.anyone(
        '/console/api/sign-in/providers',
        { response: OfferedProvidersAnswer, query: OfferQuery },
        async ({ query }) => {
          const ofWorkspace = await findOfferedProvider(db.sql, query.workspace)
          const ofInstallation = settings.provider && [{ id: INSTALLATION, name: settings.provider.name }]
          return {
            data: [
              ...(ofWorkspace === undefined ? [] : [{ id: ofWorkspace.workspace_id, name: ofWorkspace.name }]),
              ...(ofInstallation ?? []),
            ],
          }
        },
      ),
    )
    .post(
      ...guard.anyone(
        '/console/api/sign-in/providers/:provider_id',
        { response: ProviderUrlAnswer },
        async ({ request, params, address }) => {
          const token = browserCookie.read(request) ?? newSecret()
          const url = await beginProviderSignIn(appContext, params.provider_id, token, address)
          return withCookie(browserCookie.set(token), { url })
        },
      ),
    )
    .post(
      ...guard.anyone(
        '/console/api/sign-in/providers/:provider_id/response',
        { response: FirstStepAnswer, body: ResponseBody },
        async (input) => {
          const browserToken = browserCookie.read(input.request) ?? ''
          const response = { providerId: input.params.provider_id, query: input.body.query, browserToken }
          return answerSignIn(cookie, await finishProviderSignIn(appContext, response, deviceOf(input)))
        },
      ),
    )
    .get(
      ...guard.admin(
        '/console/api/workspaces/:workspace_id/sign-in',
        { response: SignInSettingsAnswer },
        async ({ member }) => ({
          data: await getSignInSettings(appContext, member.workspaceId),
        }),
      ),
    )
    .patch(
      ...guard.admin(
        '/console/api/workspaces/:workspace_id/sign-in',
        { response: SignInSettingsAnswer, body: RulesBody },
        async (input) => ({
          data: await changeRules(appContext, input.member.workspaceId, input.body, auditActorOf(input)),
        }),
      ),
    )
    .put(
      ...guard.admin(
        '/console/api/workspaces/:workspace_id/sign-in/provider',
        { response: SignInSettingsAnswer, body: ProviderBody },
        async (input) => ({
          data: await putProvider(appContext, input.member.workspaceId, input.body, auditActorOf(input)),
        }),
      ),
    )
    .delete(
      ...guard.admin(
        '/console/api/workspaces/:workspace_id/sign-in/provider',
        { response: SignInSettingsAnswer },
        async (input) => ({
          data: await removeProvider(appContext, input.member.workspaceId, auditActorOf(input)),
        }),
      ),
    )
}

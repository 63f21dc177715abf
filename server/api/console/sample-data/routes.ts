/** Sample data of a workspace, for an admin who looks around. See docs/decisions/console.md (Home). */

import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { pageLanguage } from '#api/http/request/request-language'
import { fillWithSamples } from './fill'
import { describeSamples, removeSamples } from './remove'
import { type Handle, requestsOf } from './requests'
import { SampleDataAnswer, SampleDataRemoval, SampleDataRemovalAnswer } from './schemas'

const PATH = '/console/api/workspaces/:workspace_id/sample-data'

/** `handle` is the application: sample data is written as the admin, by the operations of the API. */
export const sampleDataRoutes = ({ guard, appContext, gateway }: ConsoleContext, handle: Handle) =>
  new Elysia({ name: 'console-sample-data' })
    .get(
      ...guard.admin(PATH, { response: SampleDataAnswer }, async ({ member, request }) => ({
        data: await describeSamples(appContext, member.workspaceId, requestsOf({ request, gateway, handle, member })),
      })),
    )
    .post(
      ...guard.admin(PATH, { response: SampleDataAnswer }, async ({ member, session, request }) => {
        const send = requestsOf({ request, gateway, handle, member })
        const { workspaceId, memberId } = member
        const admin = { workspaceId, memberId, emailAddress: session.emailAddress, language: pageLanguage(request) }
        await fillWithSamples(appContext, admin, send)
        return { data: await describeSamples(appContext, member.workspaceId, send) }
      }),
    )
    .delete(
      ...guard.admin(
        PATH,
        { response: SampleDataRemovalAnswer, body: SampleDataRemoval },
        async ({ member, request, body }) => ({
          data: await removeSamples(
            appContext,
            member.workspaceId,
            requestsOf({ request, gateway, handle, member }),
            body.keeps_changed,
          ),
        }),
      ),
    )

import { Elysia } from 'elysia'
import { findPicture, PICTURES_PATH } from '#access/members/pictures'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { pictureNotFound } from '#base/errors/access'
import { type Answers, newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { removePicture, uploadPicture } from './change-picture'
import { MemberAnswer } from '#api/console/members/schemas'

const PICTURE = '/console/api/workspaces/:workspace_id/members/:workspace_member_id/picture'

export const pictureRoutes = (consoleContext: ConsoleContext, answers: Answers) =>
  new Elysia({ name: 'console-pictures' }).use(changingRoutes(consoleContext)).use(publicRoute(consoleContext, answers))

const changingRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia()
    // The request body is the picture.
    .put(
      PICTURE,
      ...guard.member({ response: MemberAnswer }, async (input) => ({
        data: await uploadPicture(
          appContext,
          input.member,
          input.params.workspace_member_id,
          input.request,
          auditActorOf(input),
        ),
      })),
    )
    .delete(
      PICTURE,
      ...guard.member({ response: MemberAnswer }, async (input) => ({
        data: await removePicture(appContext, input.member, input.params.workspace_member_id, auditActorOf(input)),
      })),
    )

const publicRoute = ({ appContext }: ConsoleContext, answers: Answers) =>
  new Elysia().get(
    `${PICTURES_PATH}/:workspace_id/:workspace_member_id/:digest`,
    async ({ request, params }) => {
      const id = newRequestId()
      try {
        return await serve(appContext, params, answers.headers(id))
      } catch (error) {
        return answers.error(request, id, errorFromException(error, request, id))
      }
    },
    { detail: { hide: true } },
  )

type PublicParams = Readonly<Record<'workspace_id' | 'workspace_member_id' | 'digest', string>>

async function serve(
  { db, blobs }: ConsoleContext['appContext'],
  { workspace_id: workspaceId, workspace_member_id: memberId, digest: hex }: PublicParams,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  if (!isUuid(workspaceId) || !isUuid(memberId) || !/^[0-9a-f]{64}$/.test(hex)) throw pictureNotFound()
  const digest = Buffer.from(hex, 'hex')
  const picture = await findPicture(db, { workspaceId, memberId }, digest)
  const stored = picture && (await blobs.find({ workspaceId, digest }))
  if (picture === undefined || stored === undefined) throw pictureNotFound()
  return new Response(blobs.read({ workspaceId, digest }, { start: 0, end: stored.size }), {
    headers: {
      ...headers,
      'Content-Type': picture.contentType,
      'Content-Length': String(stored.size),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      // Pages of other origins may show the picture, too.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'public, max-age=31536000, immutable',
    },
  })
}

import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { previewMerge } from './preview-merge'
import { MergePreviewAnswer, MergePreviewBody } from './schemas'

export const mergePreviewRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-merge-previews' }).post(
    '/console/api/workspaces/:workspace_id/merge-previews',
    ...guard.member({ response: MergePreviewAnswer, body: MergePreviewBody }, ({ member, body }) =>
      previewMerge(appContext, member, body),
    ),
  )

/** The console routes of record pages and record tables. */

import { Elysia } from 'elysia'
import { commentCountRoutes } from './comment-counts/routes'
import type { ConsoleContext } from './console-context'
import { dismissedDuplicateRoutes } from './dismissed-duplicates/routes'
import { mergePreviewRoutes } from './merge-previews/routes'

export const recordPageRoutes = (context: ConsoleContext) =>
  new Elysia({ name: 'console-record-pages' })
    .use(commentCountRoutes(context))
    .use(mergePreviewRoutes(context))
    .use(dismissedDuplicateRoutes(context))

import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import {
  addToHistory,
  clearHistory,
  deleteSavedQuery,
  getSavedQuery,
  listSavedQueries,
  readHistory,
  saveQuery,
  updateSavedQuery,
} from './saved-queries'
import { RanQueryBody, SavedQueryBody, SavedQueryChangeBody } from './schemas'

const WORKSPACE = '/console/api/workspaces/:workspace_id'

export const sqlQueryRoutes = (context: ConsoleContext) =>
  new Elysia({ name: 'console-sql-queries' }).use(savedQueryRoutes(context)).use(historyRoutes(context))

const SAVED = `${WORKSPACE}/sql-queries`

const savedQueryRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-saved-queries' })
    .get(SAVED, ...guard.member({}, async ({ member }) => ({ data: await listSavedQueries(appContext, member) })))
    .post(
      SAVED,
      ...guard.member({ body: SavedQueryBody }, async ({ member, body }) => ({
        data: await saveQuery(appContext, member, body),
      })),
    )
    .get(
      `${SAVED}/:query_id`,
      ...guard.member({}, async ({ member, params }) => ({
        data: await getSavedQuery(appContext, member, params.query_id),
      })),
    )
    .put(
      `${SAVED}/:query_id`,
      ...guard.member({ body: SavedQueryChangeBody }, async ({ member, params, body }) => ({
        data: await updateSavedQuery(appContext, member, params.query_id, body),
      })),
    )
    .delete(
      `${SAVED}/:query_id`,
      ...guard.member({}, async ({ member, params }) => {
        await deleteSavedQuery(appContext, member, params.query_id)
        return {}
      }),
    )

const HISTORY = `${WORKSPACE}/sql-history`

const historyRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-sql-history' })
    .get(HISTORY, ...guard.member({}, async ({ member }) => ({ data: await readHistory(appContext, member) })))
    .post(
      HISTORY,
      ...guard.member({ body: RanQueryBody }, async ({ member, body }) => {
        await addToHistory(appContext, member, body)
        return {}
      }),
    )
    .delete(
      HISTORY,
      ...guard.member({}, async ({ member }) => {
        await clearHistory(appContext, member)
        return {}
      }),
    )

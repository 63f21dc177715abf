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
import {
  HistoryAnswer,
  RanQueryBody,
  SavedQueriesAnswer,
  SavedQueryAnswer,
  SavedQueryBody,
  SavedQueryChangeBody,
} from './schemas'
import { Nothing } from '#api/console/schemas'

const WORKSPACE = '/console/api/workspaces/:workspace_id'

export const sqlQueryRoutes = (context: ConsoleContext) =>
  new Elysia({ name: 'console-sql-queries' }).use(savedQueryRoutes(context)).use(historyRoutes(context))

const SAVED = `${WORKSPACE}/sql-queries`

const savedQueryRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-saved-queries' })
    .get(
      ...guard.member(SAVED, { response: SavedQueriesAnswer }, async ({ member }) => ({
        data: await listSavedQueries(appContext, member),
      })),
    )
    .post(
      ...guard.member(SAVED, { response: SavedQueryAnswer, body: SavedQueryBody }, async ({ member, body }) => ({
        data: await saveQuery(appContext, member, body),
      })),
    )
    .get(
      ...guard.member(`${SAVED}/:query_id`, { response: SavedQueryAnswer }, async ({ member, params }) => ({
        data: await getSavedQuery(appContext, member, params.query_id),
      })),
    )
    .put(
      ...guard.member(
        `${SAVED}/:query_id`,
        { response: SavedQueryAnswer, body: SavedQueryChangeBody },
        async ({ member, params, body }) => ({
          data: await updateSavedQuery(appContext, member, params.query_id, body),
        }),
      ),
    )
    .delete(
      ...guard.member(`${SAVED}/:query_id`, { response: Nothing }, async ({ member, params }) => {
        await deleteSavedQuery(appContext, member, params.query_id)
        return {}
      }),
    )

const HISTORY = `${WORKSPACE}/sql-history`

const historyRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-sql-history' })
    .get(
      ...guard.member(HISTORY, { response: HistoryAnswer }, async ({ member }) => ({
        data: await readHistory(appContext, member),
      })),
    )
    .post(
      ...guard.member(HISTORY, { response: Nothing, body: RanQueryBody }, async ({ member, body }) => {
        await addToHistory(appContext, member, body)
        return {}
      }),
    )
    .delete(
      ...guard.member(HISTORY, { response: Nothing }, async ({ member }) => {
        await clearHistory(appContext, member)
        return {}
      }),
    )

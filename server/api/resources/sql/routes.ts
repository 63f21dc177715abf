import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { runSql } from './run-sql'
import { SqlAnswer, SqlBody, SqlQuery } from './schemas'

/** See docs/reference/sql.md. */
export const sqlRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'sql' }).post(
    ...guard(
      '/v2/sql',
      {
        operation: 'querySql',
        summary: 'Query records and entries with SQL',
        description:
          'One SELECT over tables `objects.<slug>` and `lists.<slug>`. `Accept: text/csv` and `Accept: application/x-ndjson` ' +
          'answer with all rows, JSON with at most 10,000. A query of a list also needs `list_entry:read` and ' +
          '`list_configuration:read`.',
        tag: 'SQL',
        scopes: ['record_permission:read', 'object_configuration:read'],
        counts: 'read',
        isHeavy: true,
        query: SqlQuery,
        body: SqlBody,
        response: SqlAnswer,
        otherTypes: ['text/csv', 'application/x-ndjson', 'text/plain'],
      },
      ({ context, query, body, request }) =>
        runSql(context, { ...body, ...query, accept: request.headers.get('accept') }),
    ),
  )

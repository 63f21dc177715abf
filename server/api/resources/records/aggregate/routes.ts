import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { AggregateAnswer, AggregateBody } from '#engine/query/aggregate/schemas'
import type { Scope } from '#vocabulary/scopes'
import { aggregateRecords } from './aggregate'

const tag = 'Records'
const READ: readonly Scope[] = ['record_permission:read', 'object_configuration:read']

export const aggregateRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'aggregates of records' }).post(
    ...guard(
      '/v2/objects/:object/records/aggregate',
      {
        operation: 'aggregateRecords',
        summary: 'Compute aggregates of records',
        description:
          'Over everything that the filter finds: counts, sums and other aggregates, and the number by group.',
        tag,
        scopes: READ,
        counts: 'read',
        body: AggregateBody,
        bodyOptional: true,
        response: AggregateAnswer,
      },
      ({ context, params, body }) => aggregateRecords(context, params.object, body),
    ),
  )

/** The schemas of a batch of records or entries, apart from the members of its operations. */

import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { invalidBody } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'

/** A request of this size takes some seconds. */
const MAX_OPERATIONS = 1000

const OPERATION_NAMES = ['create', 'update', 'upsert', 'delete'] as const
type OperationName = (typeof OPERATION_NAMES)[number]

export interface NamedOperation {
  readonly op: OperationName
}

export const BatchQuery = Type.Object({
  return: Type.Optional(
    Type.Union([Type.Literal('full'), Type.Literal('ids')], {
      default: 'full',
      description: 'Whether a result has all values or only the id.',
    }),
  ),
})

/** Each operation is checked alone, so that an invalid one does not keep the others from running. */
export const batchBody = (description: string) =>
  Type.Object({
    data: Type.Object({
      atomic: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether the first failure undoes the whole batch.' }),
      ),
      operations: Type.Array(
        Type.Object({ op: Type.Union(OPERATION_NAMES.map((name) => Type.Literal(name))) }, { description }),
        { minItems: 1, maxItems: MAX_OPERATIONS },
      ),
    }),
  })

/** The body with the members of each operation. */
export const documentedBatchBody = <B extends TObject>(
  body: ReturnType<typeof batchBody>,
  operations: Readonly<Record<OperationName, B>>,
) => {
  const { atomic, operations: checked } = body.properties.data.properties
  const items = Type.Union(OPERATION_NAMES.map((name) => operations[name]))
  return Type.Object({ data: Type.Object({ atomic, operations: { ...checked, items } }) })
}

export type BatchBody = Static<ReturnType<typeof batchBody>>

/** `id` and `others` are the members of a record or an entry. */
export const batchAnswer = (id: TSchema, others: TProperties) =>
  Type.Object({
    data: Type.Object({
      succeeded: Type.Integer(),
      failed: Type.Integer(),
      results: Type.Array(
        Type.Union([
          Type.Object({
            status: Type.Integer(),
            data: Type.Object({ id, ...optional(others) }),
          }),
          Type.Object({
            status: Type.Integer(),
            error: Type.Object({
              status_code: Type.Integer(),
              type: Type.String(),
              code: Type.String(),
              message: Type.String(),
            }),
          }),
        ]),
      ),
    }),
  })

const optional = (members: TProperties): TProperties =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]))

/** A batch counts as this number of requests against the rate limit. */
const OPERATIONS_PER_REQUEST = 25
export const requestsOfBatch = ({ data }: BatchBody): number =>
  Math.ceil(data.operations.length / OPERATIONS_PER_REQUEST)

/** Returns a function that checks an operation against the schema of its name. Throws 400 with the paths of a single request. */
export function compileOperations<Schemas extends Readonly<Record<OperationName, TObject>>>(schemas: Schemas) {
  const checkOf = (name: OperationName) => compileCheck(Type.Object({ data: schemas[name] }))
  const checks = {
    create: checkOf('create'),
    update: checkOf('update'),
    upsert: checkOf('upsert'),
    delete: checkOf('delete'),
  }
  return (operation: NamedOperation) => {
    const issues = checks[operation.op]({ data: operation })
    if (issues.length > 0) throw invalidBody(issues)
    return operation as Static<Schemas[OperationName]> // checked against the schema of its name
  }
}

import { type Static, type TObject, Type } from 'typebox'
import { invalidBody } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'
import type { NamedOperation } from './run-batch'
import type { OperationName } from './schemas'
import type { WriteTry } from '#engine/entities/write/retry-on-conflict'

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

/**
 * Reads what a write is to do. A single request assumes that records exist until its statement finds one missing, so every other
 * reason to refuse it comes first. A retry for several of them therefore reads under the same assumption before it looks.
 */
export async function readInOrder<T>(writeTry: WriteTry, read: (writeTry: WriteTry) => Promise<T>): Promise<T> {
  if (!writeTry.assumeExists) await read({ ...writeTry, assumeExists: true })
  return read(writeTry)
}

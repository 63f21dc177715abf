/** Explains failures that the operator can mend, in a sentence with the way out. Any other failure is a fault of the service. */

import { StartError } from '#db/connect'
import { isTransient } from '#base/errors/database'
import { errorCodeOf } from '#base/logging/log-error'

/** Returns undefined for a fault of the service, whose stack is printed. */
export function explainFailure(error: unknown): string | undefined {
  if (error instanceof StartError) return error.message
  if (!(error instanceof Error)) return undefined
  if (isTransient(error)) return `The database cannot be used now: ${error.message} (${errorCodeOf(error)}).`
  return undefined
}

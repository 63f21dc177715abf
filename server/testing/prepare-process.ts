/**
 * Prepares a process of its own that a test starts: it ends at the first statement with a fault, and hashes passwords with the
 * least cost.
 */

import { observeStatements } from '#db/connect'
import { useCheapPasswords } from './cheap-passwords'
import { createStatementCheck } from './statement-check'

useCheapPasswords()
observeStatements(
  createStatementCheck((fault) => {
    process.stderr.write(`${fault}\n`)
    process.exit(1)
  }),
)

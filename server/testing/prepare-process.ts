/** Checks every statement of a service that a test starts as a process of its own. The process ends at the first fault. */

import { observeStatements } from '#db/driver/observe-statements'
import { createStatementCheck } from './statement-check'

observeStatements(
  createStatementCheck((fault) => {
    process.stderr.write(`${fault}\n`)
    process.exit(1)
  }),
)

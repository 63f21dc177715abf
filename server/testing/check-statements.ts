/**
 * Checks every statement that the pools of a test process send. `bunfig.toml` loads this file before the tests; a test
 * during which a statement has a fault fails.
 */

import { afterEach } from 'bun:test'
import { observeStatements } from '#db/connect'
import { createStatementCheck } from './statement-check'

const faults: string[] = []
observeStatements(createStatementCheck((fault) => faults.push(fault)))

afterEach(() => {
  if (faults.length > 0) throw new Error(faults.splice(0).join('\n'))
})

/** The program of the services that tests start. Its arguments are modules that it imports before the service. */

import './prepare-process'

for (const module of process.argv.slice(2)) await import(module)
await import('../main')

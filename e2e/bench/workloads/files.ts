/** The files of a record. */

import { readAbout, type Workload } from './workload'

export const FILES: readonly Workload[] = [
  readAbout(
    { name: 'file-record', title: 'files of a record', needs: 'files', rate: 0.4 },
    ({ id }) => `/v2/files?object=people&record_id=${id}`,
  ),
]

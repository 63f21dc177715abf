/** All settings: their names, defaults, meanings and parsers. The README holds the same table; a test compares them. */

import { EMAIL_SETTINGS } from './email'
import { FILE_SETTINGS } from './files'
import { FIRST_START_SETTINGS } from './first-start'
import { LIMIT_SETTINGS } from './limits'
import { OUTBOUND_SETTINGS } from './outbound'
import { QUERY_SETTINGS } from './queries'
import { RETENTION_SETTINGS } from './retention'
import { SERVICE_SETTINGS } from './service'
import { SIGN_IN_SETTINGS } from './sign-in'
import { SQL_SETTINGS } from './sql'

export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...FILE_SETTINGS,
  ...LIMIT_SETTINGS,
  ...QUERY_SETTINGS,
  ...SQL_SETTINGS,
  ...RETENTION_SETTINGS,
  ...OUTBOUND_SETTINGS,
  ...SIGN_IN_SETTINGS,
  ...EMAIL_SETTINGS,
  ...FIRST_START_SETTINGS,
}

/** The service of all tests of this folder that need an object with an attribute of every type. */

import { startValueService } from '../../support/fixtures/every-type'
import { forThisFile } from '../../support/service/service-per-file'

export const service = forThisFile(startValueService)

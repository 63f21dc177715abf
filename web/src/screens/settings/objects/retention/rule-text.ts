/** The texts of retention rules. */

import type { RetentionRule } from '../../../../api/data-model/retention'
import { numberText } from '../../../../values/formats'

export const daysText = (days: number): string => (days === 1 ? '1 day' : `${numberText(days)} days`)

export const recordsText = (records: number): string => (records === 1 ? '1 record' : `${numberText(records)} records`)

export const ruleText = ({ days, action }: RetentionRule): string =>
  `Records that haven't changed for ${daysText(days)} are ${action === 'trash' ? 'moved to the trash' : 'deleted for good'}.`

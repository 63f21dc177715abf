import { optionId } from '../../api/data-model/attributes'
import { optionsOf } from '../options.svelte'
import { defaultField, type ValueType } from '../define'
import OptionInput from '../inputs/OptionValue.svelte'
import Chip from '../shown/Chip.svelte'
import { optionIn } from '../parts/option'
import { findOption } from '../find-named'

export const select: ValueType = {
  text: ({ option }) => optionIn(option).title,
  input: ({ option }) => optionIn(option).id,
  optimistic: (input, attribute, entityType) => ({
    option: optionsOf(entityType, attribute)?.data?.find((option) => optionId(option) === input),
  }),
  refusal: 'This option no longer exists. Choose another one.',
  Shown: Chip,
  Input: OptionInput,
  typing: 'search',
  isGroupable: true,
  read: findOption,
  unreadable: 'No option has this title.',
  groups: 'values',
  fields: [defaultField('option', ['$eq', '$not_empty'])],
  frame: 14,
  width: 10,
  defaultEditor: 'option',
}

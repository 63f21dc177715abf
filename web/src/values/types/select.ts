import { choiceId } from '../../api/data-model/attributes'
import { choicesOf } from '../choices.svelte'
import { itself, type ValueType } from '../define'
import ChoiceInput from '../inputs/ChoiceValue.svelte'
import Chip from '../shown/Chip.svelte'
import { chosen } from './choices'

export const select: ValueType = {
  text: ({ option }) => chosen(option).title,
  input: ({ option }) => chosen(option).id,
  guess: (input, attribute, entityType) => ({
    option: choicesOf(entityType, attribute)?.data?.find((choice) => choiceId(choice) === input),
  }),
  refusal: 'This option no longer exists. Choose another one.',
  Shown: Chip,
  Input: ChoiceInput,
  fields: [itself('choice', ['$eq', '$not_empty'])],
  width: 10,
  defaultEditor: 'choice',
}

/** The columns of a person `p`, with the ids of the users that refer to it. */
export const WHOLE = `p.*, (select array_agg(u.id) from floor.users u where u.person_target_record_id = p.id) as associated_users`

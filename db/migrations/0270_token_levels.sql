-- Tokens of apps that act for one member: the level of each token, and of what leads to it.
alter table relata.consents add column level text not null default 'workspace' check (level in ('workspace', 'user'));
alter table relata.authorization_codes add column level text not null default 'workspace' check (level in ('workspace', 'user'));
alter table relata.grants add column level text not null default 'workspace' check (level in ('workspace', 'user'));
alter table relata.tokens add column level text not null default 'workspace' check (level in ('workspace', 'user'));

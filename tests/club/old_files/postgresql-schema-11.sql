CREATE FUNCTION tell() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA, 'gone ' || OLD.id);
        ELSE
            PERFORM pg_notify('tribridge_' || TG_TABLE_SCHEMA,
                'event ' || NEW.tab || ' ' || NEW.number);
        END IF;
        RETURN NULL;
    END $$;
CREATE TABLE challenges (
    id text NOT NULL,
    body text NOT NULL
);
CREATE TABLE entries (
    challenge text NOT NULL,
    player text NOT NULL,
    tab text NOT NULL,
    body text
);
CREATE TABLE events (
    tab text NOT NULL,
    number integer NOT NULL,
    body text NOT NULL
);
CREATE TABLE games (
    device text NOT NULL,
    tab text NOT NULL,
    seat text NOT NULL,
    serial integer NOT NULL,
    body text,
    date text DEFAULT ''::text NOT NULL,
    seen integer DEFAULT 0 NOT NULL
);
CREATE UNLOGGED TABLE jobs (
    id text NOT NULL,
    version text NOT NULL,
    asked double precision NOT NULL,
    seconds double precision NOT NULL,
    question text NOT NULL,
    taken text DEFAULT ''::text NOT NULL,
    answer text
);
CREATE UNLOGGED TABLE leases (
    name text NOT NULL,
    holder text NOT NULL,
    until timestamp with time zone NOT NULL
);
CREATE TABLE meta (
    key text NOT NULL,
    value text NOT NULL
);
CREATE TABLE puzzle_answers (
    device text NOT NULL,
    puzzle text NOT NULL,
    number integer NOT NULL,
    answer text NOT NULL,
    solved boolean NOT NULL,
    missed boolean NOT NULL,
    daily text NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL,
    seen integer NOT NULL
);
CREATE TABLE puzzle_ratings (
    puzzle text NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL
);
CREATE TABLE reviews (
    tab text NOT NULL,
    deal integer NOT NULL,
    body text NOT NULL
);
CREATE TABLE tables (
    id text NOT NULL,
    over boolean DEFAULT false NOT NULL,
    opened text DEFAULT CURRENT_TIMESTAMP NOT NULL,
    touched double precision DEFAULT 0 NOT NULL,
    listed boolean DEFAULT false NOT NULL,
    client text
);
INSERT INTO challenges VALUES ('2026-03-01', '{"match": {"secret": "e8ff52948a1c757f6b53e8bcd7e1a63566440f09a65a16a55029b0869ea46983", "known": false, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": false}, "strategies": ["points+maxims", "points+maxims", "points+maxims"], "dice": 116857644303905, "seat": "S", "by": ""}');
INSERT INTO entries VALUES ('2026-03-01', 'b:points+random', 'AD0IuDFUNxCY', '{"name": "Ann", "scores": ["0", "0"], "total": "0", "net": "-620", "bot": true}');
INSERT INTO entries VALUES ('2026-03-01', 'd:ann', 'AD0IuDFUNxCY', '{"name": "Ann", "scores": ["0", "0"], "total": "0", "net": "-620"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 1, '{"kind": "opened", "match": {"seed": 3, "first": 0, "known": true, "deals": 99, "laws": "auction-rubber", "below": [0, 0, 0], "games": [0, 0, 0], "doubles": true, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 156495424406592, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 2, '{"kind": "sat", "seat": "N", "name": "PN"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 3, '{"kind": "sat", "seat": "E", "name": "PE"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 4, '{"kind": "sat", "seat": "S", "name": "PS"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 5, '{"kind": "started"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 6, '{"kind": "act", "seat": "N", "action": "1NT"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 7, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 8, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 9, '{"kind": "claim", "seat": "E", "tricks": 0}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 10, '{"kind": "answer", "seat": "N", "agree": true}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 11, '{"kind": "answer", "seat": "S", "agree": true}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 12, '{"kind": "next"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 13, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 14, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 15, '{"kind": "act", "seat": "N", "action": "1NT"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 16, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 17, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 18, '{"kind": "claim", "seat": "E", "tricks": 0}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 19, '{"kind": "answer", "seat": "N", "agree": true}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 20, '{"kind": "answer", "seat": "S", "agree": true}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 21, '{"kind": "rematch", "seat": "N"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 22, '{"kind": "rematch", "seat": "E"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 23, '{"kind": "rematch", "seat": "S"}');
INSERT INTO events VALUES ('AD0IuDFUNxCY', 24, '{"kind": "moved", "table": "a4a5RAROVyxU"}');
INSERT INTO events VALUES ('GQxcPMDbmXwZ', 1, '{"kind": "opened", "match": {"deals": 1, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 1, "hints": true, "seed": 900018, "first": 0, "known": true}, "places": [{"name": "PN", "strategy": "pass+random", "person": true, "away": false}, {"name": "PE", "strategy": "pass+random", "person": true, "away": false}, {"name": "PS", "strategy": "pass+random", "person": true, "away": false}], "dice": 94926112800923, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('GQxcPMDbmXwZ', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 1, '{"kind": "opened", "match": {"seed": 3, "first": 0, "known": true, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "North", "strategy": "pass+random", "person": false}, {"name": "East", "strategy": "pass+random", "person": false}, {"name": "South", "strategy": "pass+random", "person": true}], "dice": 60879192993890, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 3, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 4, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 5, '{"kind": "act", "seat": "S", "action": "1NT"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 6, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 7, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 8, '{"kind": "act", "seat": "N", "action": "C2"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 9, '{"kind": "act", "seat": "S", "action": "CA"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 10, '{"kind": "act", "seat": "E", "action": "C7"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 11, '{"kind": "act", "seat": "S", "action": "CT"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 12, '{"kind": "act", "seat": "S", "action": "CK"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 13, '{"kind": "act", "seat": "E", "action": "CJ"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 14, '{"kind": "act", "seat": "S", "action": "C3"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 15, '{"kind": "act", "seat": "N", "action": "C6"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 16, '{"kind": "act", "seat": "S", "action": "C9"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 17, '{"kind": "act", "seat": "E", "action": "C5"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 18, '{"kind": "act", "seat": "S", "action": "D9"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 19, '{"kind": "act", "seat": "N", "action": "SJ"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 20, '{"kind": "act", "seat": "S", "action": "C4"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 21, '{"kind": "act", "seat": "E", "action": "CQ"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 22, '{"kind": "act", "seat": "S", "action": "D6"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 23, '{"kind": "act", "seat": "N", "action": "SA"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 24, '{"kind": "act", "seat": "E", "action": "DT"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 25, '{"kind": "act", "seat": "S", "action": "D5"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 26, '{"kind": "act", "seat": "N", "action": "D8"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 27, '{"kind": "act", "seat": "S", "action": "DA"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 28, '{"kind": "act", "seat": "S", "action": "DK"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 29, '{"kind": "act", "seat": "E", "action": "D4"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 30, '{"kind": "act", "seat": "S", "action": "D3"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 31, '{"kind": "act", "seat": "N", "action": "DQ"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 32, '{"kind": "act", "seat": "S", "action": "DJ"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 33, '{"kind": "act", "seat": "E", "action": "SK"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 34, '{"kind": "act", "seat": "S", "action": "HK"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 35, '{"kind": "act", "seat": "N", "action": "H2"}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 36, '{"kind": "claim", "seat": "S", "tricks": 3}');
INSERT INTO events VALUES ('IyNcvblHeLIM', 37, '{"kind": "answer", "seat": "judge", "agree": true}');
INSERT INTO events VALUES ('VxD1BgDWCqa2', 4, '{"kind": "sat", "seat": "S", "name": "PS"}');
INSERT INTO events VALUES ('VxD1BgDWCqa2', 5, '{"kind": "started"}');
INSERT INTO events VALUES ('VxD1BgDWCqa2', 6, '{"kind": "chat", "text": "Hello!", "seat": "N"}');
INSERT INTO events VALUES ('VxD1BgDWCqa2', 7, '{"kind": "chat", "text": "Good luck!", "name": "Uma"}');
INSERT INTO events VALUES ('yuh4xUVb717g', 5, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 1, '{"kind": "opened", "match": {"secret": "799770da017ddc608c053825bb248f3497aa2732f5fcf20daad508877eb2357d", "known": false, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 174187862522995, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 2, '{"kind": "sat", "seat": "N", "name": "PN"}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 3, '{"kind": "sat", "seat": "E", "name": "PE"}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 4, '{"kind": "sat", "seat": "S", "name": "PS"}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 5, '{"kind": "started"}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 6, '{"kind": "away", "seat": "N"}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 7, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('KOrG7t4ya9Ri', 8, '{"kind": "back", "seat": "N"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 1, '{"kind": "opened", "match": {"secret": "1db76d170f1d3c5f2f7af32c0a4c930bbece299a68df55f105e2bfb5149fb8c9", "known": false, "deals": 2, "scheme": "auction", "doubles": false, "deck": "4x3", "dealer": 0, "hints": false}, "places": [{"name": "Robin", "strategy": "pass+random"}, {"name": "Sasha", "strategy": "pass+random"}, {"name": "Ann", "strategy": "pass+random", "person": true}], "dice": 242536440579342, "options": {"waits": false, "one_name": true, "hold": true, "chat": "off", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": "2026-03-01"}}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 3, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 4, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 5, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 6, '{"kind": "next"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 7, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 8, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('KUM8vg2kLtqO', 9, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 1, '{"kind": "opened", "match": {"secret": "565c0cf4a111e86e52a34ad5a0edd778b25caf2172dacaedbf25a344c3031c5d", "known": false, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 94102004618262, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": true, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 2, '{"kind": "sat", "seat": "N", "name": "PN"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 3, '{"kind": "sat", "seat": "E", "name": "PE"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 4, '{"kind": "sat", "seat": "S", "name": "PS"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 5, '{"kind": "started"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 6, '{"kind": "mute", "seat": "N", "whom": "E", "on": true}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 7, '{"kind": "mute", "seat": "N", "whom": "onlookers", "on": true}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 8, '{"kind": "chat", "text": "word-1", "seat": "E"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 9, '{"kind": "chat", "text": "word-2", "name": "Uma"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 10, '{"kind": "chat", "text": "word-3", "seat": "S"}');
INSERT INTO events VALUES ('Kh1zBpAxLl9l', 11, '{"kind": "mute", "seat": "N", "whom": "E", "on": false}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 1, '{"kind": "opened", "match": {"seed": 2, "first": 0, "known": true, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "North", "strategy": "pass+random", "person": false}, {"name": "East", "strategy": "pass+random", "person": false}, {"name": "South", "strategy": "pass+random", "person": true}], "dice": 1, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 3, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 4, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 5, '{"kind": "act", "seat": "S", "action": "1NT"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 6, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 7, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 8, '{"kind": "act", "seat": "N", "action": "HT"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 9, '{"kind": "act", "seat": "S", "action": "H6"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 10, '{"kind": "act", "seat": "E", "action": "HJ"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 11, '{"kind": "act", "seat": "S", "action": "HK"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 12, '{"kind": "claim", "seat": "S", "tricks": 12}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 13, '{"kind": "answer", "seat": "judge", "agree": false}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 14, '{"kind": "act", "seat": "S", "action": "CK"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 15, '{"kind": "act", "seat": "N", "action": "C4"}');
INSERT INTO events VALUES ('PN2xGeRS3ASh', 16, '{"kind": "undo", "seat": "S", "keep": 9}');
INSERT INTO events VALUES ('SlxeSuxhoKoO', 1, '{"kind": "opened", "match": {"seed": 5, "first": 0, "known": true, "deals": 1, "laws": "auction-rubber", "below": [0, 0, 0], "games": [0, 0, 0], "doubles": true, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "Robin", "strategy": "pass+random"}, {"name": "Sasha", "strategy": "pass+random"}, {"name": "Guest", "strategy": "pass+random", "person": true}], "dice": 189492303714312, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('SlxeSuxhoKoO', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('SlxeSuxhoKoO', 3, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('SlxeSuxhoKoO', 4, '{"kind": "away", "left": true, "seat": "S"}');
INSERT INTO events VALUES ('SlxeSuxhoKoO', 5, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('SlxeSuxhoKoO', 6, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('VxD1BgDWCqa2', 1, '{"kind": "opened", "match": {"secret": "3c6341e2bb5523cf1049333cedeef398f9568a772d7095a526b608bbc9108473", "known": false, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 202324649700090, "options": {"waits": false, "one_name": true, "hold": true, "chat": "phrases", "onlooker_chat": true, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('VxD1BgDWCqa2', 2, '{"kind": "sat", "seat": "N", "name": "PN"}');
INSERT INTO events VALUES ('VxD1BgDWCqa2', 3, '{"kind": "sat", "seat": "E", "name": "PE"}');
INSERT INTO events VALUES ('XfdO12QB17Fw', 1, '{"kind": "opened", "match": {"seed": 7, "first": 0, "known": true, "deals": 1, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": false}, "places": [{"name": "Robin", "strategy": "pass+random"}, {"name": "Sasha", "strategy": "pass+random"}, {"name": "Ben", "strategy": "pass+random", "person": true}], "dice": 30357044693918, "options": {"waits": false, "one_name": true, "hold": true, "chat": "off", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": "FrtSzQbNQPtD"}}');
INSERT INTO events VALUES ('XfdO12QB17Fw', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('XfdO12QB17Fw', 3, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('XfdO12QB17Fw', 4, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 1, '{"kind": "opened", "match": {"secret": "4dedfbb0377f64ac6b7e60c342468ce66c47dbe3320bbf4274856cc16481ce35", "known": false, "deals": 1, "laws": "auction-rubber", "below": [0, 0, 0], "games": [0, 0, 0], "doubles": true, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "Walter", "strategy": "points+maxims"}, {"name": "Maud", "strategy": "points+maxims"}, {"name": "Felix", "strategy": "points+maxims"}], "dice": 181076006094545, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": true, "challenge": null}}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 3, '{"kind": "replaced", "seat": "N", "strategy": "maxims", "why": "failed"}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 4, '{"kind": "act", "seat": "N", "action": "Pass"}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 5, '{"kind": "replaced", "seat": "E", "strategy": "maxims", "why": "failed"}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 6, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 7, '{"kind": "replaced", "seat": "S", "strategy": "maxims", "why": "failed"}');
INSERT INTO events VALUES ('ZIp5xhPkyix3', 8, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('ZvhHh0otdysU', 1, '{"kind": "opened", "match": {"seed": 5, "first": 0, "known": true, "deals": 99, "laws": "auction-rubber", "below": [0, 0, 0], "games": [0, 0, 0], "doubles": true, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "Robin", "strategy": "pass+random"}, {"name": "Sasha", "strategy": "pass+random"}, {"name": "Guest", "strategy": "pass+random", "person": true}], "dice": 13414615160979, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('ZvhHh0otdysU', 2, '{"kind": "started"}');
INSERT INTO events VALUES ('ZvhHh0otdysU', 3, '{"kind": "replaced", "seat": "N", "strategy": "maxims", "why": "took longer than 10 seconds"}');
INSERT INTO events VALUES ('ZvhHh0otdysU', 4, '{"kind": "act", "seat": "N", "action": "1D"}');
INSERT INTO events VALUES ('ZvhHh0otdysU', 5, '{"kind": "replaced", "seat": "E", "strategy": "maxims", "why": "took longer than 10 seconds"}');
INSERT INTO events VALUES ('ZvhHh0otdysU', 6, '{"kind": "act", "seat": "E", "action": "2C"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 1, '{"kind": "opened", "match": {"seed": 2, "first": 0, "known": true, "deals": 2, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 65256792874319, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('egjMAicg4cfT', 2, '{"kind": "sat", "seat": "N", "name": "PN"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 3, '{"kind": "sat", "seat": "E", "name": "PE"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 4, '{"kind": "sat", "seat": "S", "name": "PS"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 5, '{"kind": "started"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 6, '{"kind": "act", "seat": "N", "action": "1C"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 7, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 8, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 9, '{"kind": "claim", "seat": "E", "tricks": 5}');
INSERT INTO events VALUES ('egjMAicg4cfT', 10, '{"kind": "answer", "seat": "S", "agree": false}');
INSERT INTO events VALUES ('egjMAicg4cfT', 11, '{"kind": "act", "seat": "E", "action": "CJ"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 12, '{"kind": "act", "seat": "N", "action": "CA"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 13, '{"kind": "act", "seat": "S", "action": "CK"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 14, '{"kind": "act", "seat": "N", "action": "C7"}');
INSERT INTO events VALUES ('egjMAicg4cfT', 15, '{"kind": "claim", "seat": "N", "tricks": 12}');
INSERT INTO events VALUES ('egjMAicg4cfT', 16, '{"kind": "answer", "seat": "E", "agree": true}');
INSERT INTO events VALUES ('egjMAicg4cfT', 17, '{"kind": "answer", "seat": "S", "agree": true}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 1, '{"kind": "opened", "match": {"secret": "4a51a1faa53a838f8110f0f00ce9e6c69102206efa699b4cc957eed013a87587", "known": false, "deals": 2, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 107942868971373, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": 600, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 2, '{"kind": "sat", "seat": "S", "name": "South", "time": 1794879851.871}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 3, '{"kind": "started", "seat": "S", "time": 1794879851.882}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 4, '{"kind": "act", "seat": "N", "action": "Pass", "time": 1794879851.895}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 5, '{"kind": "act", "seat": "E", "action": "Pass", "time": 1794879851.907}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 6, '{"kind": "act", "seat": "S", "action": "1NT", "time": 1794879851.934}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 7, '{"kind": "act", "seat": "N", "action": "Pass", "time": 1794879851.947}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 8, '{"kind": "act", "seat": "E", "action": "Pass", "time": 1794879851.956}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 9, '{"kind": "act", "seat": "N", "action": "S9", "time": 1794879851.974}');
INSERT INTO events VALUES ('gsa77hpNL1F1', 10, '{"kind": "undo", "seat": "S", "keep": 2, "time": 1794879851.998}');
INSERT INTO events VALUES ('iPQZL4yERGBp', 1, '{"kind": "opened", "match": {"seed": 5, "first": 0, "known": true, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "N", "strategy": "maxims", "person": true}, {"name": "E", "strategy": "maxims", "person": true}, {"name": "S", "strategy": "maxims", "person": true}], "dice": 262148021633082, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": 0.01, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('iPQZL4yERGBp', 2, '{"kind": "started", "time": 1794879745.445}');
INSERT INTO events VALUES ('iPQZL4yERGBp', 3, '{"kind": "timeout", "seat": "N", "action": "Pass", "time": 1794879745.456}');
INSERT INTO events VALUES ('yuh4xUVb717g', 4, '{"kind": "away", "left": true, "seat": "N"}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 1, '{"kind": "opened", "match": {"seed": 5, "first": 0, "known": true, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "N", "strategy": "maxims", "person": true}, {"name": "E", "strategy": "maxims", "person": true}, {"name": "S", "strategy": "maxims", "person": true}], "dice": 207441502639736, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": 0.02, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 2, '{"kind": "started", "time": 1794879739.074}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 3, '{"kind": "act", "seat": "N", "action": "1NT", "time": 1794879739.081}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 4, '{"kind": "timeout", "seat": "E", "action": "Pass", "time": 1794879739.101}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 5, '{"kind": "timeout", "seat": "S", "action": "Pass", "time": 1794879739.125}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 6, '{"kind": "timeout", "seat": "E", "action": "CA", "time": 1794879739.151}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 7, '{"kind": "timeout", "seat": "N", "action": "C2", "time": 1794879739.173}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 8, '{"kind": "timeout", "seat": "S", "action": "C6", "time": 1794879739.195}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 9, '{"kind": "timeout", "seat": "N", "action": "CT", "time": 1794879739.218}');
INSERT INTO events VALUES ('jCFNzUy2dJyx', 10, '{"kind": "timeout", "seat": "E", "action": "CK", "time": 1794879739.24}');
INSERT INTO events VALUES ('lRtw4639q4Qx', 1, '{"kind": "opened", "match": {"seed": 5, "first": 0, "known": true, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "N", "strategy": "maxims", "person": true}, {"name": "E", "strategy": "maxims", "person": true}, {"name": "S", "strategy": "maxims", "person": true}], "dice": 244669137014746, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": 60, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('lRtw4639q4Qx', 2, '{"kind": "started", "time": 1794879739.411}');
INSERT INTO events VALUES ('qsifbdzrUxCA', 1, '{"kind": "opened", "match": {"seed": 3, "first": 0, "known": true, "deals": 1, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "Robin", "strategy": "pass+random"}, {"name": "East", "strategy": "pass+random", "person": true}, {"name": "Kim", "strategy": "pass+random"}], "dice": 26699875780682, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('qsifbdzrUxCA', 2, '{"kind": "started", "actions": ["1NT", "Pass", "Pass", "H6", "H4", "H7", "H2", "H8", "H3"]}');
INSERT INTO events VALUES ('tdkuyQG2xXl4', 1, '{"kind": "opened", "match": {"seed": 3, "first": 0, "known": true, "deals": 99, "laws": "auction-rubber", "below": [0, 0, 0], "games": [0, 0, 0], "doubles": true, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 181304342575300, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('tdkuyQG2xXl4', 2, '{"kind": "sat", "seat": "N", "name": "PN"}');
INSERT INTO events VALUES ('tdkuyQG2xXl4', 3, '{"kind": "sat", "seat": "E", "name": "PE"}');
INSERT INTO events VALUES ('tdkuyQG2xXl4', 4, '{"kind": "sat", "seat": "S", "name": "PS"}');
INSERT INTO events VALUES ('tdkuyQG2xXl4', 5, '{"kind": "started"}');
INSERT INTO events VALUES ('tdkuyQG2xXl4', 6, '{"kind": "act", "seat": "N", "action": "6C"}');
INSERT INTO events VALUES ('tdkuyQG2xXl4', 7, '{"kind": "advised", "seat": "E"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 1, '{"kind": "opened", "match": {"secret": "5c05a2f40bfbc54be6266acf70040e673d07549e3dc288a817a46ce4f9c3fb4d", "known": false, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 11753794314228, "options": {"waits": false, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 2, '{"kind": "sat", "seat": "N", "name": "PN"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 3, '{"kind": "sat", "seat": "E", "name": "PE"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 4, '{"kind": "sat", "seat": "S", "name": "PS"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 5, '{"kind": "started"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 6, '{"kind": "act", "seat": "N", "action": "1C"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 7, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 8, '{"kind": "act", "seat": "S", "action": "Pass"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 9, '{"kind": "claim", "seat": "E", "tricks": 13}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 10, '{"kind": "answer", "seat": "N", "agree": true}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 11, '{"kind": "lapsed"}');
INSERT INTO events VALUES ('wId3O8qyyf3u', 12, '{"kind": "act", "seat": "E", "action": "CK"}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 1, '{"kind": "opened", "match": {"secret": "9f86e8e94ff0e14273ef0fdb539274c30227b48fc38f188e72d74411b3f1e34a", "known": false, "deals": 4, "scheme": "auction", "doubles": false, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}], "dice": 199325813725079, "options": {"waits": false, "one_name": true, "hold": false, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 2, '{"kind": "sat", "seat": "N", "name": "North"}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 3, '{"kind": "mute", "seat": "N", "whom": "E", "on": true}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 4, '{"kind": "mute", "seat": "N", "whom": "E", "on": false}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 5, '{"kind": "ready", "seat": "N", "ready": true}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 6, '{"kind": "ready", "seat": "N", "ready": false}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 7, '{"kind": "bot", "seat": "E", "strategy": "points+maxims"}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 8, '{"kind": "started", "seat": "N"}');
INSERT INTO events VALUES ('yqy2e9yNOTJU', 9, '{"kind": "gone", "seat": "N"}');
INSERT INTO events VALUES ('yuh4xUVb717g', 1, '{"kind": "opened", "match": {"secret": "90da1dd6faf13f2c2d7d1ad5fd2806e6d9c2324029d10b359ea6c6665f7a2426", "known": false, "deals": 99, "laws": "auction-rubber", "below": [0, 0, 0], "games": [0, 0, 0], "doubles": true, "deck": "4x13", "dealer": 0, "hints": true}, "places": [{"name": "", "strategy": "pass+random", "open": true}, {"name": "", "strategy": "pass+random", "open": true}, {"name": "Ann", "strategy": "pass+random", "person": true}], "dice": 22223465206812, "options": {"waits": true, "one_name": true, "hold": true, "chat": "free", "onlooker_chat": false, "turn_seconds": null, "listed": false, "challenge": null}}');
INSERT INTO events VALUES ('yuh4xUVb717g', 2, '{"kind": "sat", "seat": "N", "name": "Ben"}');
INSERT INTO events VALUES ('yuh4xUVb717g', 3, '{"kind": "started", "seat": "S"}');
INSERT INTO events VALUES ('yuh4xUVb717g', 6, '{"kind": "back", "seat": "N"}');
INSERT INTO events VALUES ('yuh4xUVb717g', 7, '{"kind": "act", "seat": "E", "action": "Pass"}');
INSERT INTO events VALUES ('yuh4xUVb717g', 8, '{"kind": "left", "seat": "N"}');
INSERT INTO meta VALUES ('schema', '11');
INSERT INTO meta VALUES ('secret', '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO tables VALUES ('yqy2e9yNOTJU', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('XfdO12QB17Fw', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('yuh4xUVb717g', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('AD0IuDFUNxCY', true, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('VxD1BgDWCqa2', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('gsa77hpNL1F1', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('iPQZL4yERGBp', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('ZIp5xhPkyix3', true, '2026-11-15 20:31:07', 1794861067, true, NULL);
INSERT INTO tables VALUES ('PN2xGeRS3ASh', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('lRtw4639q4Qx', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('qsifbdzrUxCA', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('GQxcPMDbmXwZ', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('tdkuyQG2xXl4', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('KOrG7t4ya9Ri', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('ZvhHh0otdysU', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('wId3O8qyyf3u', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('Kh1zBpAxLl9l', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('jCFNzUy2dJyx', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('egjMAicg4cfT', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('IyNcvblHeLIM', false, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('KUM8vg2kLtqO', true, '2026-11-15 20:31:07', 1794861067, false, NULL);
INSERT INTO tables VALUES ('SlxeSuxhoKoO', true, '2026-11-15 20:31:07', 1794861067, false, NULL);
ALTER TABLE ONLY challenges
    ADD CONSTRAINT challenges_pkey PRIMARY KEY (id);
ALTER TABLE ONLY entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (challenge, player);
ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (tab, number);
ALTER TABLE ONLY games
    ADD CONSTRAINT games_pkey PRIMARY KEY (device, tab, seat);
ALTER TABLE ONLY jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);
ALTER TABLE ONLY puzzle_answers
    ADD CONSTRAINT puzzle_answers_pkey PRIMARY KEY (device, puzzle);
ALTER TABLE ONLY puzzle_ratings
    ADD CONSTRAINT puzzle_ratings_pkey PRIMARY KEY (puzzle);
ALTER TABLE ONLY reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (tab, deal);
ALTER TABLE ONLY tables
    ADD CONSTRAINT tables_pkey PRIMARY KEY (id);
CREATE INDEX games_tab ON games USING btree (tab);
CREATE INDEX tables_client ON tables USING btree (client) WHERE (client IS NOT NULL);
CREATE INDEX tables_touched ON tables USING btree (over, touched);
CREATE TRIGGER tell AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER tell AFTER DELETE ON tables FOR EACH ROW EXECUTE FUNCTION tell();
ALTER TABLE ONLY events
    ADD CONSTRAINT events_tab_fkey FOREIGN KEY (tab) REFERENCES tables(id);
ALTER TABLE ONLY reviews
    ADD CONSTRAINT reviews_tab_fkey FOREIGN KEY (tab) REFERENCES tables(id);

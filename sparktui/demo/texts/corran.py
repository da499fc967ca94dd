"""A story, long enough to run past 800 tokens."""

from sparktui.demo.texts import unwrap

TEXT = unwrap("""
The light at Corran Head had a keeper long after it had any need of one. The lamp turned by itself, the horn knew fog
when it met it, and a grey box on the wall spoke to a computer four hundred miles away. Still, the board paid Maud
Tierney a small sum each month to live in the tower and to write down what she saw, and so each night she climbed the
hundred and twelve steps, sat by the glass, and wrote.

Most nights there was little to put in the book. Wind from the west. Two trawlers, bound for home. A moon like a cut
lemon. She wrote it all in pencil, because ink froze in the bad weeks of January, and she wrote it in full, because
her father had kept the same book before her and had never once left a line empty. “A blank line is a lie,” he used to
say. “Something always happens. You were just not looking.”

On the third of March, a little past two in the morning, the lamp went out.

It did not flicker first. One moment the long white arm was out there, sweeping the bay, and the next there was only
dark, and the sound of the sea going on with its work. Maud sat quite still. In thirty years she had never seen the
night from up here without the light in it. It was much bigger than she had thought. Then she put down her pencil and
picked up the phone, and found that the phone was dead as well.

She knew the old lamp was still in the store. She had oiled it every spring, for no good reason, as one might wind the
clock of someone who has gone away. It took her nine minutes to carry it up, and four more to trim the wick with hands
that would not stop shaking. When the flame stood up at last it was small and yellow — a kitchen sort of flame, a
flame to read a letter by — and the great lens took it, turned it over, and threw it eleven miles out to sea.

Far out, something answered. Three short flashes, low on the water, then three more.

There was no motor now to turn the lens, so Maud turned it. She set her shoulder to the brass rail and walked, the way
the first keepers had walked, once round every twenty seconds, counting under her breath. She counted through the hour
when the rain came in. She counted while her knees began to burn and the floor grew slick. Whenever she passed the
seaward pane she looked for the boat, and each time it was a little nearer, and a little more to the left, feeling its
way along the edge of the light as a hand feels along a wall.

By five she was talking to her father. She told him about the grey box, and how it had never once asked her a
question. She told him the price of bread. She said she was sorry about the blank lines she would have to leave
tonight, since she had no hand free to write with, and she thought he might have laughed at that.

The dawn came up slowly, the colour of wet slate. Maud stopped walking, and the room went on turning for a while
without her. Below, in the little harbour that no chart had bothered to name in fifty years, a fishing boat lay
against the wall with its bow stove in. Five men sat on the stones in a row, wrapped in sails. One of them was no more
than a boy. He was looking straight up at the tower, and when he saw her at the glass he lifted one arm and held it
there.

She went down all the steps and made them tea, and then she made them eggs, and nobody spoke until the pan was empty.
Their engine had drowned at midnight, the skipper said, and the radio with it. They had been steering for the light
when it died. “We thought that was the end of it,” he said. “Then it came back — but it came back wrong. Yellow, and
not quite steady. And young Séamus here says: that’s no machine. There’s somebody up there. So we stayed with it.”

The board sent two engineers in a helicopter. They were polite, and they found the fault in under an hour: a wire the
width of a hair. They asked Maud how long the station had been dark, and she told them thirteen minutes. They looked
at their screens, which said seven hours, and then at the old lamp, which was still warm, and they wrote down
thirteen.

That evening she climbed the stairs with a cushion for her knees. The white arm was out on the water again, as smooth
as if nothing had ever been the matter. Maud opened the book, and found the page for the third of March, and sat for
some time before the row of empty lines. Then she sharpened her pencil, and began at the top, and by the time the moon
was clear of the hill she had filled every one.
""")

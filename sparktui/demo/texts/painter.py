"""A story that comes to its natural end at about 780 tokens."""

from sparktui.demo.texts import unwrap

TEXT = unwrap("""
The board sent word that the tower at Sorrel Point was to be painted, red and white in bands, and that the keeper was
to do it himself. Ewan Marr read the letter twice. He was sixty-one, he disliked heights, and he had spent his whole
life inside the thing so as not to have to look at it.

The paint came on Monday in forty tins. On Tuesday he hung a plank from the gallery by two ropes, said a short prayer,
and put one leg over the rail. On Wednesday he tried the other leg.

It turned out that the trick was to face the wall. So long as he kept his nose to the stone there was no drop, no sea,
and no sky, only a yard of old plaster with a crack in it like a river seen from the moon. He painted the crack. He
painted the plaster round it. When the plank was dry he let himself down four feet and found another yard, and painted
that; and at noon the wind would spin him slowly about to face the open water, whether he liked it or not, and he
would shut his eyes until it had spun him back.

On the ninth day he opened one of them.

A child was standing on the rocks below, with a bucket. “You’ve missed a bit,” she called.

“I have not.”

“By your foot. It’s shaped like a dog.”

He looked, and it was. He painted over the dog. The next day she was there again, and she found him a whale, a teapot,
and a man with one ear, all of them places where the white had run thin. Her name was Noor. She was staying with an
aunt and she was not meant to be on the rocks. Soon he was leaving the odd thin patch on purpose, though he would not
have owned to it, so as to hear what she would make of it.

“What can you see from there?” she asked him once.

“The wall.”

“No, but if you turned round?”

He told her that he did not turn round. She thought about it, swinging the bucket. “Then I’ll tell you,” she said,
“and you can just listen.” So he went on with his brush, and behind him in her clear, bossy voice the whole bay came
into being, piece by piece. There was a boat with a blue door, she said. There was a heron, pretending to be a post.
There was an island like a hat, and behind it another one like the head the hat belonged to; and far out, where it
went a bit silvery, there was a line, ever so straight, and that was the end.

“It isn’t the end,” said Ewan. He had lit ships over that line for thirty-five years. “It only looks it. There’s more
behind.”

“How do you know? You’ve got your back to it.”

He had no reply to that. He hung there for some time with the brush dripping white on to his boot. Then he put it down
in the tin, took hold of both ropes, and, with his eyes wide open, turned himself about.

It was all exactly as she had said: the blue door, the heron, the hat. What she had left out was the size. The light
came off the water and went straight through him, as if he were a window somebody had finally thought to clean — and
he was not afraid. He was only sorry, in a mild sort of way, about the thirty-five years.

He finished the tower in the last week of August. From the sea it looked very fine, everyone said so, nine red bands
and nine white. But if you came in close, on a bright day, and knew where to look, there was a place under the gallery
where the paint had been put on thin; and it was the shape, quite plainly, of a man on a plank, with his arms thrown
wide, and a small girl beside him showing him the sea.
""")

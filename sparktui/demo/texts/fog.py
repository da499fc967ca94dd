"""A story, long enough to run past 800 tokens."""

from sparktui.demo.texts import unwrap

TEXT = unwrap("""
When the fog came in over Merrow Sound it came all at once, like a wall being moved. Old Pell said you could lean on
it. He had kept the light there for forty-one years, and in that time he had lost two hats to the wind, one tooth to a
tin of ham, and not a single ship; and it was the last of these that people asked him about, when they asked him
anything at all.

“It’s not the light that does it,” he would say. “It’s the waiting.”

No one knew what he meant by that. Lena, who was sent out to learn the work from him in his final year, did not know
it either. She was nineteen and had come top in every paper. She could name each lamp on the coast by its pattern, and
draw the inside of a foghorn from memory. On her first morning Pell gave her a chair, turned it to face the window,
and told her to watch the Sound until noon.

“What am I looking for?”

“I’d not like to say,” said Pell. “You might find it.”

So she looked. There was water, and over it there was sky. A cormorant dried its wings on the north beacon — it looked
like a broken umbrella — and after an hour it flew away. At noon Pell brought soup and asked what she had seen, and
she said: nothing, one bird. He nodded as if that were a fair answer, and on the next day he put the chair back in the
same place.

By the end of June she could tell the set of the tide from the colour of the water behind the rocks. By August she
knew that the bird came on the ebb, and left when the wind backed south, and that when it did not come there would be
weather before night. She had not been told any of this. She wrote some of it down, and then stopped, because the
writing made her look away.

“You’re nearly there,” said Pell. He was thinner that summer. He had begun to rest on the landings, with one palm flat
against the wall, as though he were listening for something inside it.

The fog came on the ninth of October, at three in the afternoon. It took the beacon, and then the rocks, and then the
rail outside the window. Lena started the horn and lit the lamp, and both of them seemed to stop an arm’s length from
the glass. Somewhere in the Sound there was a ferry with two hundred people aboard. She had seen its smoke at half
past two, as small as a pencil mark, and she had seen that the mark was leaning the wrong way.

She found Pell in his bed with his boots on. “It’s the ferry,” she said. “She’s too far east. I think she has the tide
wrong. I can’t see a thing, I can’t raise her — what do I do?”

“Where is she now?” said the old man. He did not open his eyes.

“I don’t know! I can’t see!”

“Nor you can. So sit down,” said Pell, “and wait for her.”

She wanted to shout at him. Instead she sat, since there was nothing else to be done; and in the white silence she
found that she could see the Sound after all. It had been there the whole time. She knew how the water would be
running over the bar at this hour, and how fast. She knew where the mark of smoke had been. She let it drift, minute
by minute, in her mind, past the beacon that was not there, towards the rocks that were; and when it had come as close
as she could bear, she ran down to the shore and lit the tar barrel on the eastern point, which had not been used
since before she was born.

It made a red, filthy, roaring flame. The fog around it turned the colour of a rose. For as long as it takes to say a
prayer there was no answer. Then, so near that she felt it in her teeth, came the bell of the ferry, ringing full
astern, and a long dark shape slid by her in the murk, close enough to touch, and was gone again, out to the deep
water, safe.

When she got back Pell was sitting up. He had heard the bell. He was smiling with all the teeth the ham had left him.

“You see,” he said. “A light only tells them where you are. Any fool can do that. It’s the waiting that tells you
where they are.” He lay back, and seemed to think it over. “That’s the whole of the job,” he said. “I’d have told you
in June, but you’d have written it down.”
""")
